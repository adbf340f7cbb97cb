// vector_add in the elementwise style.
#include "core/kernel/elementwise.hpp"

#include "plugins/vector_add/vector_add.hpp"

namespace vector_add {

void elementwise(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const VectorAdd&>(problem);
  const auto a = run.to_device(in.a);
  const auto b = run.to_device(in.b);
  const auto c = run.output("c");
  const kernelbatch::ElementwiseKernel kernel{"T a, T b", "T c", "c = a + b",
                                              "vector_add_elementwise"};

  run.measure([&] { kernel(run.stream(), a, b, c); });
}

}  // namespace vector_add
