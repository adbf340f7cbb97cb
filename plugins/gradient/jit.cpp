// gradient in the JIT style.
#include "core/kernel/jit/kernel.hpp"
#include "core/workload/launch.hpp"
#include "embedded.hpp"
#include "plugins/gradient/gradient.hpp"

namespace kernelbatch::workloads::gradient {

static Work jit(const Gradient& in, Run& run) {
  const auto u = run.to_device(in.u);
  const auto dx = run.output("dx");
  const auto dy = run.output("dy");
  const JitKernel kernel{embedded::jit_cuh, "gradient"};
  const LaunchShape shape = loop_shape(run, u.size());

  return [=](Stream& stream) { kernel(stream, shape, u, dx, dy); };
}
static const Variant kJit{"jit", VariantKind::kJit, "one thread for each cell", jit};

}  // namespace kernelbatch::workloads::gradient
