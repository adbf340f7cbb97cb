#include "plugins/texture_resample/texture_of.hpp"

namespace texture_resample {

kernelbatch::Texture texture_of(const TextureResample& in, kernelbatch::Run& run) {
  const kernelbatch::TextureExtent extent{.width = static_cast<std::size_t>(in.grid.shape()[1]),
                                          .height = static_cast<std::size_t>(in.grid.shape()[0])};
  kernelbatch::TextureArray texels(run.device(), kernelbatch::DType::kFloat32, 1, extent);
  texels.copy_from(in.grid, run.stream());
  kernelbatch::TextureSampling sampling;
  sampling.filter =
      in.is_linear ? kernelbatch::TextureFilter::kLinear : kernelbatch::TextureFilter::kPoint;
  return kernelbatch::Texture(texels, sampling);
}

}  // namespace texture_resample
