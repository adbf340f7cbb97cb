// complex_axpy in the JIT style.
#include "core/kernel/jit/kernel.hpp"
#include "core/workload/launch.hpp"
#include "embedded.hpp"
#include "plugins/complex_axpy/complex_axpy.hpp"

namespace kernelbatch::workloads::complex_axpy {

static Work jit(const ComplexAxpy& in, Run& run) {
  const auto x1 = run.to_device(in.x1);
  const auto x2 = run.to_device(in.x2);
  const auto y = run.output("y");
  const JitKernel kernel{embedded::jit_cuh, "complex_axpy"};
  const LaunchShape shape = loop_shape(run, y.size());

  return [=, &in](Stream& stream) { kernel(stream, shape, x1, x2, y, in.a_real, in.a_imag); };
}
static const Variant kJit{"jit", VariantKind::kJit, "grid-stride loop", jit};

}  // namespace kernelbatch::workloads::complex_axpy
