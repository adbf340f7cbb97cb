// sin_exp in the elementwise style.
#include "core/kernel/elementwise.hpp"

#include "plugins/sin_exp/sin_exp.hpp"

namespace sin_exp {

void elementwise(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const SinExp&>(problem);
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  const kernelbatch::ElementwiseKernel kernel{"T x", "T y", "y = sin(x) * exp(-x * x)",
                                              "sin_exp_elementwise"};

  run.measure([&] { kernel(run.stream(), x, y); });
}

}  // namespace sin_exp
