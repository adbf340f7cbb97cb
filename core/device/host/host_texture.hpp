// Textures and surfaces on the host: plain memory, and the description that the prelude reads.
#pragma once

#include "core/device/texture.hpp"

namespace kernelbatch::host {

class HostTextures final : public TextureFactory {
 public:
  std::unique_ptr<TextureMemory> make_memory(const TexelFormat& format,
                                             const TextureExtent& extent) override;
  std::unique_ptr<TextureObject> make_texture(const TextureMemory& memory,
                                              const TextureSampling& sampling) override;
  std::unique_ptr<TextureObject> make_texture(const LinearTexels& texels, const TexelFormat& format,
                                              const TextureSampling& sampling) override;
  std::unique_ptr<TextureObject> make_surface(const TextureMemory& memory) override;
};

}  // namespace kernelbatch::host
