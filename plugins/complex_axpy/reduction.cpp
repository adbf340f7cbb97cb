// complex_axpy as a reduction: the sum over two weighted terms.
#include "core/kernel/reduction/kernel.hpp"
#include "core/workload/host_input.hpp"
#include "plugins/complex_axpy/complex_axpy.hpp"

namespace kernelbatch::workloads::complex_axpy {

static Work reduction(const ComplexAxpy& in, Run& run) {
  const auto terms = run.to_device(stack({in.x1, in.x2}));
  const std::complex<double> a(in.a_real, in.a_imag);
  const auto y = run.output("y");
  const ReductionKernel kernel{{.in = "T term, T factor",
                                .out = "T y",
                                .map = "_J == 0 ? term : factor * term",
                                .reduce = "a + b",
                                .post_map = "y = a",
                                .identity = "0",
                                .name = "complex_axpy_reduction"}};

  return [=](Stream& stream) { kernel.over({0})(stream, terms, a, y); };
}
static const Variant kReduction{"reduction", VariantKind::kReduction,
                                "sum over the two terms, weighted by 1 and a", reduction};

}  // namespace kernelbatch::workloads::complex_axpy
