// Textures and surfaces on the host: plain memory, and the description that the prelude reads.
#pragma once

#include "core/device/texture.hpp"

namespace kernelbatch::host {

class Checker;

class HostTextures final : public TextureFactory {
 public:
  /// The checker, if any, must outlive all objects made here.
  explicit HostTextures(Checker* checker = nullptr) : checker_(checker) {}
  std::unique_ptr<TextureMemory> make_memory(const TexelFormat& format,
                                             const TextureExtent& extent) override;
  std::unique_ptr<TextureObject> make_texture(const TextureMemory& memory,
                                              const TextureSampling& sampling) override;
  std::unique_ptr<TextureObject> make_texture(const LinearTexels& texels, const TexelFormat& format,
                                              const TextureSampling& sampling) override;
  std::unique_ptr<TextureObject> make_surface(const TextureMemory& memory) override;

 private:
  Checker* checker_;
};

}  // namespace kernelbatch::host
