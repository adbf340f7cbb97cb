// abs2 in the JIT style.
#include "core/kernel/jit/kernel.hpp"
#include "core/workload/launch.hpp"
#include "embedded.hpp"
#include "plugins/abs2/abs2.hpp"

namespace kernelbatch::workloads::abs2 {

static Work jit(const Abs2& in, Run& run) {
  const auto z = run.to_device(in.z);
  const auto y = run.output("y");
  const JitKernel kernel{embedded::jit_cuh, "abs2"};
  const LaunchShape shape = loop_shape(run, y.size());

  return [=](Stream& stream) { kernel(stream, shape, z, y); };
}
static const Variant kJit{"jit", VariantKind::kJit, "grid-stride loop", jit};

}  // namespace kernelbatch::workloads::abs2
