// scaled_add in the elementwise style.
#include "core/kernel/elementwise.hpp"

#include "plugins/scaled_add/scaled_add.hpp"

namespace scaled_add {

void elementwise(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const ScaledAdd&>(problem);
  const auto a = run.to_device(in.a);
  const auto b = run.to_device(in.b);
  const auto out = run.output("out");
  const kernelbatch::ElementwiseKernel kernel{"T a, T b, T scale", "T out", "out = (a + b) * scale",
                                              "scaled_add_elementwise"};

  run.measure([&] { kernel(run.stream(), a, b, in.scale, out); });
}

}  // namespace scaled_add
