// texture_resample by a texture object, which blends in hardware, in an elementwise kernel.
#include "core/kernel/elementwise/kernel.hpp"
#include "plugins/texture_resample/texture_of.hpp"
#include "plugins/texture_resample/texture_resample.hpp"

namespace kernelbatch::workloads::texture_resample {

static Work texture(const TextureResample& in, Run& run) {
  const auto x = run.to_device(in.x);
  const auto y = run.to_device(in.y);
  const auto sampled = run.output("sampled");
  const Texture texture = texture_of(in, run);
  const ElementwiseKernel kernel{{.in = "U texture, float32 x, float32 y",
                                  .out = "float32 sampled",
                                  .operation = "sampled = tex2D<float>(texture, x, y)",
                                  .name = "texture_resample_texture"}};

  return [=](Stream& stream) { kernel(stream, texture, x, y, sampled); };
}
static const Variant kTexture{"texture", VariantKind::kRaw,
                              "a texture object in an elementwise kernel", texture};

}  // namespace kernelbatch::workloads::texture_resample
