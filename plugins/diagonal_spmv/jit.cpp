// diagonal_spmv in the JIT style.
#include "core/kernel/jit/kernel.hpp"
#include "core/workload/launch.hpp"
#include "embedded.hpp"
#include "plugins/diagonal_spmv/diagonal_spmv.hpp"

namespace kernelbatch::workloads::diagonal_spmv {

static Work jit(const DiagonalSpmv& in, Run& run) {
  const auto offsets = run.to_device(in.offsets);
  const auto diagonals = run.to_device(in.diagonals);
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  const JitKernel kernel{
      embedded::jit_cuh, "diagonal_spmv", {.constants = {{"DIAGONALS", in.offsets.size()}}}};
  const LaunchShape shape = loop_shape(run, y.size());

  return [=](Stream& stream) { kernel(stream, shape, offsets, diagonals, x, y); };
}
static const Variant kJit{"jit", VariantKind::kJit, "one thread for each row", jit};

}  // namespace kernelbatch::workloads::diagonal_spmv
