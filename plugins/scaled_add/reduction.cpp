// scaled_add as a reduction: the sum over the rows of {a, b}, then the factor.
#include "core/kernel/reduction.hpp"

#include "core/plugin/host_input.hpp"
#include "plugins/scaled_add/scaled_add.hpp"

namespace scaled_add {

void reduction(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const ScaledAdd&>(problem);
  const auto rows = run.to_device(kernelbatch::stack({in.a, in.b}));
  const auto out = run.output("out");
  const kernelbatch::ReductionKernel kernel{
      "T term, T scale", "T out", "term", "a + b", "out = a * scale", "0", "scaled_add_reduction"};

  run.measure([&] { kernel.over({0})(run.stream(), rows, in.scale, out); });
}

}  // namespace scaled_add
