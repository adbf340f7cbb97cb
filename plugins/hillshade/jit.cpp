// hillshade in the JIT style.
#include <algorithm>

#include "core/kernel/jit/kernel.hpp"
#include "embedded.hpp"
#include "plugins/hillshade/hillshade.hpp"

namespace kernelbatch::workloads::hillshade {

static Work jit(const Hillshade& in, Run& run) {
  constexpr std::int64_t kBlock = 256;
  const auto dem = run.to_device(in.dem);
  const auto slope = run.output("slope");
  const auto shade = run.output("shade");
  const JitKernel kernel{embedded::jit_cuh, "hillshade"};
  const std::int64_t blocks = std::min<std::int64_t>((dem.size() + kBlock - 1) / kBlock, 1 << 20);
  const LaunchShape shape{.grid = {static_cast<std::uint32_t>(blocks)}, .block = {kBlock}};
  const auto real = [](double value) { return static_cast<float>(value); };

  return [=, &in](Stream& stream) {
    kernel(stream, shape, dem, slope, shade, real(in.scale_x), real(in.scale_y), real(in.sun_east),
           real(in.sun_north), real(in.sun_up));
  };
}
static const Variant kJit{"jit", VariantKind::kJit, "one thread per cell", jit};

}  // namespace kernelbatch::workloads::hillshade
