// copy in the JIT style.
#include "core/kernel/jit/kernel.hpp"
#include "core/workload/launch.hpp"
#include "embedded.hpp"
#include "plugins/copy/copy.hpp"

namespace kernelbatch::workloads::copy {

static Work jit(const Copy& in, Run& run) {
  const auto x = run.to_device(in.x);
  const auto y = run.output("y");
  const JitKernel kernel{embedded::jit_cuh, "copy"};
  const LaunchShape shape = loop_shape(run, y.size());

  return [=](Stream& stream) { kernel(stream, shape, x, y); };
}
static const Variant kJit{"jit", VariantKind::kJit, "grid-stride loop", jit};

}  // namespace kernelbatch::workloads::copy
