// texture_resample by a texture object in a raw kernel, precompiled.
#include "core/kernel/raw/kernel.hpp"
#include "embedded.hpp"
#include "plugins/texture_resample/texture_of.hpp"
#include "plugins/texture_resample/texture_resample.hpp"

namespace kernelbatch::workloads::texture_resample {

static Work texture_raw(const TextureResample& in, Run& run) {
  constexpr std::int64_t kWidth = 32, kHeight = 8;
  const auto x = run.to_device(in.x);
  const auto y = run.to_device(in.y);
  const auto sampled = run.output("sampled");
  const Texture texture = texture_of(in, run);
  const RawModule module{EmbeddedKernel{embedded::raw_cu, embedded::raw_cu_fatbin},
                         {"resample_texture"},
                         {.name = "texture_resample_resample_texture"}};
  const auto kernel = module.function("resample_texture");
  const int rows = static_cast<int>(in.y.size()), cols = static_cast<int>(in.x.size());
  const LaunchShape shape{.grid = {static_cast<std::uint32_t>((cols + kWidth - 1) / kWidth),
                                   static_cast<std::uint32_t>((rows + kHeight - 1) / kHeight)},
                          .block = {kWidth, kHeight}};

  return [=](Stream& stream) { kernel(stream, shape, texture, x, y, sampled, rows, cols); };
}
static const Variant kTextureRaw{"texture_raw", VariantKind::kRaw,
                                 "a texture object in a raw kernel", texture_raw};

}  // namespace kernelbatch::workloads::texture_resample
