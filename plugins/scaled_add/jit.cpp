// scaled_add in the JIT style.
#include "core/kernel/jit/kernel.hpp"
#include "core/workload/launch.hpp"
#include "embedded.hpp"
#include "plugins/scaled_add/scaled_add.hpp"

namespace kernelbatch::workloads::scaled_add {

static Work jit(const ScaledAdd& in, Run& run) {
  const auto a = run.to_device(in.a);
  const auto b = run.to_device(in.b);
  const auto out = run.output("out");
  const JitKernel kernel{embedded::jit_cuh, "scaled_add"};
  const LaunchShape shape = loop_shape(run, out.size());

  return [=, &in](Stream& stream) { kernel(stream, shape, a, b, out, in.scale); };
}
static const Variant kJit{"jit", VariantKind::kJit, "grid-stride loop", jit};

}  // namespace kernelbatch::workloads::scaled_add
