// complex_axpy in the elementwise style.
#include "core/kernel/elementwise.hpp"

#include "plugins/complex_axpy/complex_axpy.hpp"

namespace complex_axpy {

void elementwise(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const ComplexAxpy&>(problem);
  const auto x1 = run.to_device(in.x1);
  const auto x2 = run.to_device(in.x2);
  const auto y = run.output("y");
  const kernelbatch::ElementwiseKernel kernel{"T x1, T x2, T a", "T y", "y = x1 + a * x2",
                                              "complex_axpy_elementwise"};
  const std::complex<double> a(in.a_real, in.a_imag);

  run.measure([&] { kernel(run.stream(), x1, x2, a, y); });
}

}  // namespace complex_axpy
