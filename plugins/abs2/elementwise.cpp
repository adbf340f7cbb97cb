// abs2 in the elementwise style.
#include "core/kernel/elementwise.hpp"

#include "plugins/abs2/abs2.hpp"

namespace abs2 {

void elementwise(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const Abs2&>(problem);
  const auto z = run.to_device(in.z);
  const auto y = run.output("y");
  const kernelbatch::ElementwiseKernel kernel{
      "Z z", "T y", "y = z.real() * z.real() + z.imag() * z.imag()", "abs2_elementwise"};

  run.measure([&] { kernel(run.stream(), z, y); });
}

}  // namespace abs2
