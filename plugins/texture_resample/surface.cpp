// texture_resample by a texture object into a surface, whose texels are then copied to the output.
#include "core/kernel/raw/kernel.hpp"
#include "embedded.hpp"
#include "plugins/texture_resample/texture_of.hpp"
#include "plugins/texture_resample/texture_resample.hpp"

namespace kernelbatch::workloads::texture_resample {

static Work surface(const TextureResample& in, Run& run) {
  constexpr std::int64_t kWidth = 32, kHeight = 8;
  const auto x = run.to_device(in.x);
  const auto y = run.to_device(in.y);
  const auto sampled = run.output("sampled");
  const Texture texture = texture_of(in, run);
  const RawModule module{EmbeddedKernel{embedded::raw_cu, embedded::raw_cu_fatbin},
                         {"resample_surface"},
                         {.name = "texture_resample_resample_surface"}};
  const auto kernel = module.function("resample_surface");
  const int rows = static_cast<int>(in.y.size()), cols = static_cast<int>(in.x.size());
  const LaunchShape shape{.grid = {static_cast<std::uint32_t>((cols + kWidth - 1) / kWidth),
                                   static_cast<std::uint32_t>((rows + kHeight - 1) / kHeight)},
                          .block = {kWidth, kHeight}};
  const TextureArray texels(
      run.device(), DType::kFloat32, 1,
      {.width = static_cast<std::size_t>(cols), .height = static_cast<std::size_t>(rows)});
  const Surface surface(texels);

  return [=](Stream& stream) {
    kernel(stream, shape, texture, surface, x, y, rows, cols);
    texels.copy_to(sampled, stream);
  };
}
static const Variant kSurface{"surface", VariantKind::kRaw,
                              "a texture read, a surface written, then copied out", surface};

}  // namespace kernelbatch::workloads::texture_resample
