// complex_axpy in the elementwise style.
#include "core/kernel/elementwise/kernel.hpp"
#include "plugins/complex_axpy/complex_axpy.hpp"

namespace kernelbatch::workloads::complex_axpy {

static Work elementwise(const ComplexAxpy& in, Run& run) {
  const auto x1 = run.to_device(in.x1);
  const auto x2 = run.to_device(in.x2);
  const auto y = run.output("y");
  const ElementwiseKernel kernel{{.in = "T x1, T x2, T a",
                                  .out = "T y",
                                  .operation = "y = x1 + a * x2",
                                  .name = "complex_axpy_elementwise"}};
  const std::complex<double> a(in.a_real, in.a_imag);

  return [=](Stream& stream) { kernel(stream, x1, x2, a, y); };
}
static const Variant kElementwise{"elementwise", VariantKind::kElementwise,
                                  "one operation on every element", elementwise};

}  // namespace kernelbatch::workloads::complex_axpy
