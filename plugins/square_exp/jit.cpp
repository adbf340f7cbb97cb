// square_exp in the JIT style.
#include "core/kernel/jit/kernel.hpp"
#include "core/workload/launch.hpp"
#include "embedded.hpp"
#include "plugins/square_exp/square_exp.hpp"

namespace kernelbatch::workloads::square_exp {

static Work jit(const SquareExp& in, Run& run) {
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  const JitKernel kernel{embedded::jit_cuh, "square_exp"};
  const LaunchShape shape = loop_shape(run, y.size());

  return [=](Stream& stream) { kernel(stream, shape, x, y); };
}
static const Variant kJit{"jit", VariantKind::kJit, "grid-stride loop", jit};

}  // namespace kernelbatch::workloads::square_exp
