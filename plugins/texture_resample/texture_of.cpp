#include "plugins/texture_resample/texture_of.hpp"

namespace kernelbatch::workloads::texture_resample {

Texture texture_of(const TextureResample& in, Run& run) {
  const TextureExtent extent{.width = static_cast<std::size_t>(in.grid.shape()[1]),
                             .height = static_cast<std::size_t>(in.grid.shape()[0])};
  TextureArray texels(run.device(), DType::kFloat32, 1, extent);
  texels.copy_from(in.grid, run.stream());
  TextureSampling sampling;
  sampling.filter = in.is_linear ? TextureFilter::kLinear : TextureFilter::kPoint;
  return Texture(texels, sampling);
}

}  // namespace kernelbatch::workloads::texture_resample
