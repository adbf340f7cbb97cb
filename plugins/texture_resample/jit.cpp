// texture_resample in the JIT style; whether to blend is known to the compiler.
#include "core/kernel/jit.hpp"

#include "core/plugin/launch.hpp"
#include "embedded.hpp"
#include "plugins/texture_resample/texture_resample.hpp"

namespace texture_resample {

void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const TextureResample&>(problem);
  const auto grid = run.to_device(in.grid);
  const auto x = run.to_device(in.x);
  const auto y = run.to_device(in.y);
  const auto sampled = run.output("sampled");
  const kernelbatch::JitKernel kernel{
      embedded::jit_cuh, "resample", {.constants = {{"LINEAR", in.is_linear}}}};
  const kernelbatch::LaunchShape shape = kernelbatch::loop_shape(run, sampled.size());

  run.measure([&] { kernel(run.stream(), shape, grid, x, y, sampled); });
}

}  // namespace texture_resample
