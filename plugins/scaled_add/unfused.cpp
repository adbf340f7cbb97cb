// scaled_add as two array operations, each with its own pass over memory.
#include "core/kernel/elementwise.hpp"
#include "plugins/scaled_add/scaled_add.hpp"

namespace scaled_add {

void unfused(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const ScaledAdd&>(problem);
  const auto a = run.to_device(in.a);
  const auto b = run.to_device(in.b);
  const auto out = run.output("out");
  const auto sum = run.scratch(in.a.dtype(), in.a.shape());
  const kernelbatch::ElementwiseKernel add{"T a, T b", "T sum", "sum = a + b", "scaled_add_sum"};
  const kernelbatch::ElementwiseKernel multiply{"T sum, T scale", "T out", "out = sum * scale",
                                                "scaled_add_scale"};

  run.measure([&] {
    add(run.stream(), a, b, sum);
    multiply(run.stream(), sum, in.scale, out);
  });
}

}  // namespace scaled_add
