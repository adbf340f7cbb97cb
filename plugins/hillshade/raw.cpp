// hillshade in plain CUDA, precompiled.
#include "core/kernel/raw/kernel.hpp"
#include "embedded.hpp"
#include "plugins/hillshade/hillshade.hpp"

namespace kernelbatch::workloads::hillshade {

static Work raw(const Hillshade& in, Run& run) {
  constexpr std::int64_t kWidth = 32;
  constexpr std::int64_t kHeight = 16;
  const auto dem = run.to_device(in.dem);
  const auto slope = run.output("slope");
  const auto shade = run.output("shade");
  const std::int64_t rows = in.dem.shape()[0];
  const std::int64_t columns = in.dem.shape()[1];
  const RawModule module{EmbeddedKernel{embedded::raw_cu, embedded::raw_cu_fatbin},
                         {"hillshade"},
                         {.name = "hillshade_raw"}};
  const auto kernel = module.function("hillshade");
  const LaunchShape shape{.grid = {static_cast<std::uint32_t>((columns + kWidth - 1) / kWidth),
                                   static_cast<std::uint32_t>((rows + kHeight - 1) / kHeight)},
                          .block = {kWidth, kHeight}};
  const auto real = [](double value) { return static_cast<float>(value); };

  return [=, &in](Stream& stream) {
    kernel(stream, shape, dem, static_cast<int>(rows), static_cast<int>(columns), real(in.scale_x),
           real(in.scale_y), real(in.sun_east), real(in.sun_north), real(in.sun_up), slope, shade);
  };
}
static const Variant kRaw{"raw", VariantKind::kRaw, "tiles in shared memory", raw};

}  // namespace kernelbatch::workloads::hillshade
