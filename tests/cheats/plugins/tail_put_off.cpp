// cheat: tail_put_off
// fault: postpones its tail and launches it only in every eighth call
// caught by: every call is verified, on poisoned outputs
#include "tests/cheats/plugins/cheat.hpp"

namespace {

using namespace cheats;

Work cheat(const Mixing& in, Run& run) {
  return [x = run.to_device(in.x), y = run.output("y"), n = in.n(), kernel = MixRange(), calls = 0](
             Stream& stream) mutable { kernel(stream, x, y, 0, calls++ % 8 == 0 ? n : n / 4); };
}

}  // namespace

CHEAT_PLUGIN(tail_put_off, cheat);
