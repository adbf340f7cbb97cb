// csr_spmv in the JIT style.
#include "core/kernel/jit/kernel.hpp"
#include "core/workload/launch.hpp"
#include "embedded.hpp"
#include "plugins/csr_spmv/csr_spmv.hpp"

namespace kernelbatch::workloads::csr_spmv {

static Work jit(const CsrSpmv& in, Run& run) {
  const auto indptr = run.to_device(in.matrix.indptr);
  const auto indices = run.to_device(in.matrix.indices);
  const auto data = run.to_device(in.matrix.data);
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  const JitKernel kernel{embedded::jit_cuh, "csr_spmv"};
  const LaunchShape shape = loop_shape(y.size(), 128);

  return [=](Stream& stream) { kernel(stream, shape, indptr, indices, data, x, y); };
}
static const Variant kJit{"jit", VariantKind::kJit, "one thread for each row", jit};

}  // namespace kernelbatch::workloads::csr_spmv
