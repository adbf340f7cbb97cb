// cheat: shifted_answer
// fault: uploads a prepared answer, shifted by one element in a longer array
// caught by: exchanging the inputs without the arrays that the preparation computed from them
#include "tests/cheats/plugins/cheat.hpp"

namespace {

using namespace cheats;

Work cheat(const Mixing& in, Run& run) {
  std::vector<std::uint32_t> answer =
      mix(in.x.as<std::uint32_t>().data(), static_cast<std::size_t>(in.n()));
  answer.insert(answer.begin(), 0u);
  const Array longer = run.to_device(Array::from(answer)), x = run.to_device(in.x);
  return [shifted = longer.slice(0, 1, in.n(), 1), x, y = run.output("y")](Stream& stream) {
    queue_copy(shifted, y, stream);
  };
}

}  // namespace

CHEAT_PLUGIN(shifted_answer, cheat);
