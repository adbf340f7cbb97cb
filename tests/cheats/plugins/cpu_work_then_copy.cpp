// cheat: cpu_work_then_copy
// fault: computes on the CPU inside the call and lets the device copy
// caught by: detection of CPU work inside the call
#include "tests/cheats/plugins/cheat.hpp"

namespace {

using namespace cheats;

Work cheat(const Mixing& in, Run& run) {
  return [x = run.to_device(in.x), y = run.output("y"), n = static_cast<std::size_t>(in.n()),
          answer = std::vector<std::uint32_t>()](Stream& stream) mutable {
    const std::vector<std::uint32_t> values = read(x, n, stream);
    answer = mix(values.data(), n);
    stream.device().copy(y.data(), answer.data(), y.bytes(), Copy::kToDevice, stream);
  };
}

}  // namespace

CHEAT_PLUGIN(cpu_work_then_copy, cheat);
