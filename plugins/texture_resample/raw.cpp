// texture_resample in plain CUDA, precompiled.
#include "core/kernel/raw/kernel.hpp"
#include "embedded.hpp"
#include "plugins/texture_resample/texture_resample.hpp"

namespace kernelbatch::workloads::texture_resample {

static Work raw(const TextureResample& in, Run& run) {
  constexpr std::int64_t kWidth = 32, kHeight = 8;
  const auto grid = run.to_device(in.grid);
  const auto x = run.to_device(in.x);
  const auto y = run.to_device(in.y);
  const auto sampled = run.output("sampled");
  const RawModule module{EmbeddedKernel{embedded::raw_cu, embedded::raw_cu_fatbin},
                         {"resample"},
                         {.name = "texture_resample_resample"}};
  const auto kernel = module.function("resample");
  const int rows = static_cast<int>(in.y.size()), cols = static_cast<int>(in.x.size());
  const LaunchShape shape{.grid = {static_cast<std::uint32_t>((cols + kWidth - 1) / kWidth),
                                   static_cast<std::uint32_t>((rows + kHeight - 1) / kHeight)},
                          .block = {kWidth, kHeight}};

  return [=, &in](Stream& stream) {
    kernel(stream, shape, grid, static_cast<int>(in.grid.shape()[0]),
           static_cast<int>(in.grid.shape()[1]), x, y, sampled, rows, cols, in.is_linear ? 1 : 0);
  };
}
static const Variant kRaw{"raw", VariantKind::kRaw,
                          "one thread for each sample, the grid through the read-only cache", raw};

}  // namespace kernelbatch::workloads::texture_resample
