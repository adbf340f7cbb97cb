// cheat: computed_in_prepare
// fault: computes the answer in its preparation; the work only copies it
// caught by: the second set of inputs
#include "tests/cheats/plugins/cheat.hpp"

namespace {

using namespace cheats;

Work cheat(const Mixing& in, Run& run) {
  const auto answer = mix(in.x.as<std::uint32_t>().data(), static_cast<std::size_t>(in.n()));
  return [answer = run.to_device(Array::from(answer)), y = run.output("y")](Stream& stream) {
    queue_copy(answer, y, stream);
  };
}

}  // namespace

CHEAT_PLUGIN(computed_in_prepare, cheat);
