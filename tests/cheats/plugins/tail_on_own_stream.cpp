// cheat: tail_on_own_stream
// fault: launches its tail on its own stream, for which the given one does not wait
// caught by: every call is verified; kernels that run after the stop event
// needs: gpu: streams of the host device are synchronous
#include "tests/cheats/plugins/cheat.hpp"

namespace {

using namespace cheats;

Work cheat(const Mixing& in, Run& run) {
  Device& device = run.device();
  return [x = run.to_device(in.x), y = run.output("y"), n = in.n(), kernel = MixRange(),
          own = std::shared_ptr<Stream>(device.make_stream()),
          begun = std::shared_ptr<kernelbatch::Event>(device.make_event()),
          calls = 0](Stream& stream) mutable {
    if (calls++ == 0) return kernel(stream, x, y, 0, n);
    stream.record(*begun);
    own->wait(*begun);
    kernel(stream, x, y, 0, n / 8);
    kernel(*own, x, y, n / 8, n);
  };
}

}  // namespace

CHEAT_PLUGIN(tail_on_own_stream, cheat);
