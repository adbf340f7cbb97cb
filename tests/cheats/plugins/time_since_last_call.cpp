// cheat: time_since_last_call
// fault: does an eighth of its work if the last call was less than 5 ms ago, as in samples
// caught by: every call is verified, on poisoned outputs
#include <chrono>
#include <utility>

#include "tests/cheats/plugins/cheat.hpp"

namespace {

using namespace cheats;
using Clock = std::chrono::steady_clock;

Work cheat(const Mixing& in, Run& run) {
  return [x = run.to_device(in.x), y = run.output("y"), n = in.n(), kernel = MixRange(),
          last = Clock::time_point()](Stream& stream) mutable {
    const Clock::time_point now = Clock::now();
    const bool is_soon = now - std::exchange(last, now) < std::chrono::milliseconds(5);
    kernel(stream, x, y, 0, is_soon ? n / 8 : n);
  };
}

}  // namespace

CHEAT_PLUGIN(time_since_last_call, cheat);
