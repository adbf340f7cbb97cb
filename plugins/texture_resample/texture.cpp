// texture_resample by a texture object, which blends by itself, in an elementwise kernel.
#include "core/kernel/elementwise.hpp"
#include "plugins/texture_resample/texture_of.hpp"
#include "plugins/texture_resample/texture_resample.hpp"

namespace texture_resample {

void texture(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const TextureResample&>(problem);
  const auto x = run.to_device(in.x);
  const auto y = run.to_device(in.y);
  const auto sampled = run.output("sampled");
  const kernelbatch::Texture texture = texture_of(in, run);
  const kernelbatch::ElementwiseKernel kernel{"U texture, float32 x, float32 y", "float32 sampled",
                                              "sampled = tex2D<float>(texture, x, y)",
                                              "texture_resample_texture"};

  run.measure([&] { kernel(run.stream(), texture, x, y, sampled); });
}

}  // namespace texture_resample
