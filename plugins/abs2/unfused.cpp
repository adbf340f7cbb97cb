// abs2 as two array operations: the modulus, then its square.
#include "core/kernel/elementwise.hpp"
#include "plugins/abs2/abs2.hpp"

namespace abs2 {

void unfused(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const Abs2&>(problem);
  const auto z = run.to_device(in.z);
  const auto y = run.output("y");
  const auto modulus = run.scratch(y.dtype(), y.shape());
  const kernelbatch::ElementwiseKernel moduli{"Z z", "T modulus", "modulus = abs(z)",
                                              "abs2_modulus"};
  const kernelbatch::ElementwiseKernel squares{"T modulus", "T y", "y = modulus * modulus",
                                               "abs2_square"};

  run.measure([&] {
    moduli(run.stream(), z, modulus);
    squares(run.stream(), modulus, y);
  });
}

}  // namespace abs2
