// complex_axpy as a reduction: the sum over two weighted terms.
#include "core/kernel/reduction.hpp"

#include "core/plugin/host_input.hpp"
#include "plugins/complex_axpy/complex_axpy.hpp"

namespace complex_axpy {

void reduction(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const ComplexAxpy&>(problem);
  const auto terms = run.to_device(kernelbatch::stack({in.x1, in.x2}));
  const std::complex<double> a(in.a_real, in.a_imag);
  const auto y = run.output("y");
  const kernelbatch::ReductionKernel kernel{
      "T term, T factor",      "T y", "_J == 0 ? term : factor * term", "a + b", "y = a", "0",
      "complex_axpy_reduction"};

  run.measure([&] { kernel.over({0})(run.stream(), terms, a, y); });
}

}  // namespace complex_axpy
