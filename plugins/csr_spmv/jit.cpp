// csr_spmv in the JIT style.
#include "core/kernel/jit.hpp"

#include "core/plugin/launch.hpp"
#include "embedded.hpp"
#include "plugins/csr_spmv/csr_spmv.hpp"

namespace csr_spmv {

void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const CsrSpmv&>(problem);
  const auto indptr = run.to_device(in.matrix.indptr);
  const auto indices = run.to_device(in.matrix.indices);
  const auto data = run.to_device(in.matrix.data);
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  const kernelbatch::JitKernel kernel{embedded::jit_cuh, "csr_spmv"};
  const kernelbatch::LaunchShape shape = kernelbatch::loop_shape(y.size(), 128);

  run.measure([&] { kernel(run.stream(), shape, indptr, indices, data, x, y); });
}

}  // namespace csr_spmv
