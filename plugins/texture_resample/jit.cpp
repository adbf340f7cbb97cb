// texture_resample in the JIT style; blending is a compile-time choice.
#include "core/kernel/jit/kernel.hpp"
#include "core/workload/launch.hpp"
#include "embedded.hpp"
#include "plugins/texture_resample/texture_resample.hpp"

namespace kernelbatch::workloads::texture_resample {

static Work jit(const TextureResample& in, Run& run) {
  const auto grid = run.to_device(in.grid);
  const auto x = run.to_device(in.x);
  const auto y = run.to_device(in.y);
  const auto sampled = run.output("sampled");
  const JitKernel kernel{embedded::jit_cuh, "resample", {.constants = {{"LINEAR", in.is_linear}}}};
  const LaunchShape shape = loop_shape(run, sampled.size());

  return [=](Stream& stream) { kernel(stream, shape, grid, x, y, sampled); };
}
static const Variant kJit{"jit", VariantKind::kJit, "one thread for each sample", jit};

}  // namespace kernelbatch::workloads::texture_resample
