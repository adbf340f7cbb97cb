// add_reverse in the JIT style.
#include "core/kernel/jit/kernel.hpp"
#include "core/workload/launch.hpp"
#include "embedded.hpp"
#include "plugins/add_reverse/add_reverse.hpp"

namespace kernelbatch::workloads::add_reverse {

static Work jit(const AddReverse& in, Run& run) {
  const auto x = run.to_device(in.x);
  const auto y = run.to_device(in.y);
  const auto z = run.output("z");
  const JitKernel kernel{embedded::jit_cuh, "add_reverse"};
  const LaunchShape shape = loop_shape(run, z.size());

  return [=](Stream& stream) { kernel(stream, shape, x, y, z); };
}
static const Variant kJit{"jit", VariantKind::kJit, "grid-stride loop", jit};

}  // namespace kernelbatch::workloads::add_reverse
