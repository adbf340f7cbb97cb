// vector_add in the JIT style.
#include "core/kernel/jit/kernel.hpp"
#include "core/workload/launch.hpp"
#include "embedded.hpp"
#include "plugins/vector_add/vector_add.hpp"

namespace kernelbatch::workloads::vector_add {

static Work jit(const VectorAdd& in, Run& run) {
  const auto a = run.to_device(in.a);
  const auto b = run.to_device(in.b);
  const auto c = run.output("c");
  const JitKernel kernel{embedded::jit_cuh, "vector_add"};
  const LaunchShape shape = loop_shape(run, c.size());

  return [=](Stream& stream) { kernel(stream, shape, a, b, c); };
}
static const Variant kJit{"jit", VariantKind::kJit, "grid-stride loop", jit};

}  // namespace kernelbatch::workloads::vector_add
