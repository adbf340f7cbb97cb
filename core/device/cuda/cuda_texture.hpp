// CUDA arrays, texture and surface objects.
#pragma once

#include "core/device/texture.hpp"

namespace kernelbatch::cuda {

/// Creates them in the current context.
class CudaTextures final : public TextureFactory {
 public:
  std::unique_ptr<TextureMemory> make_memory(const TexelFormat& format,
                                             const TextureExtent& extent) override;
  std::unique_ptr<TextureObject> make_texture(const TextureMemory& memory,
                                              const TextureSampling& sampling) override;
  std::unique_ptr<TextureObject> make_texture(const LinearTexels& texels, const TexelFormat& format,
                                              const TextureSampling& sampling) override;
  std::unique_ptr<TextureObject> make_surface(const TextureMemory& memory) override;
};

}  // namespace kernelbatch::cuda
