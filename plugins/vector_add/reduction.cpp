// vector_add as a reduction: the sum over the rows of {a, b}.
#include "core/kernel/reduction.hpp"

#include "core/plugin/host_input.hpp"
#include "plugins/vector_add/vector_add.hpp"

namespace vector_add {

void reduction(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const VectorAdd&>(problem);
  const auto rows = run.to_device(kernelbatch::stack({in.a, in.b}));
  const auto c = run.output("c");
  const kernelbatch::ReductionKernel kernel{
      "T term", "T c", "term", "a + b", "c = a", "0", "vector_add_reduction"};

  run.measure([&] { kernel.over({0})(run.stream(), rows, c); });
}

}  // namespace vector_add
