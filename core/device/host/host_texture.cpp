#include "core/device/host/host_texture.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/device/host/checks/checker.hpp"
#include "core/device/host/cuda/kernelbatch/host_texture_abi.hpp"

namespace kernelbatch::host {
namespace {

using Texture = kernelbatch_host::Texture;

/// Memory that kernels read through prelude functions: it is not checked.
class Unchecked {
 public:
  Unchecked(Checker* checker, const void* memory, std::size_t bytes) : checker_(checker) {
    if (checker_ != nullptr && bytes > 0)
      region_ =
          &checker_->add_region(std::make_unique<Region>(memory, bytes, Region::Kind::kUnchecked));
  }
  Unchecked(const Unchecked&) = delete;
  Unchecked& operator=(const Unchecked&) = delete;
  ~Unchecked() {
    if (region_ != nullptr) checker_->remove_region(*region_);
  }

 private:
  Checker* checker_;
  const Region* region_ = nullptr;
};

class HostTextureMemory final : public TextureMemory {
 public:
  HostTextureMemory(const TexelFormat& format, const TextureExtent& extent, Checker* checker)
      : TextureMemory(format, extent),
        texels_(bytes()),
        unchecked_(checker, texels_.data(), texels_.size()) {}
  void copy_from(const void* texels, Copy, Stream&) override {
    std::memcpy(texels_.data(), texels, texels_.size());
  }
  void copy_to(void* texels, Copy, Stream&) const override {
    std::memcpy(texels, texels_.data(), texels_.size());
  }
  /// A surface writes to the memory that a texture only reads.
  LinearTexels texels() const noexcept {
    return {const_cast<std::byte*>(texels_.data()), extent(), extent().width * format().bytes()};
  }

 private:
  std::vector<std::byte> texels_;
  Unchecked unchecked_;
};

class HostTextureObject final : public TextureObject {
 public:
  HostTextureObject(const Texture& texture, Checker* checker)
      : texture_(texture), unchecked_(checker, &texture_, sizeof texture_) {}
  std::uint64_t handle() const noexcept override {
    return reinterpret_cast<std::uintptr_t>(&texture_);
  }

 private:
  Texture texture_;
  Unchecked unchecked_;
};

int address_mode(TextureAddress address) {
  switch (address) {
    case TextureAddress::kWrap:
      return kernelbatch_host::kAddressWrap;
    case TextureAddress::kMirror:
      return kernelbatch_host::kAddressMirror;
    case TextureAddress::kBorder:
      return kernelbatch_host::kAddressBorder;
    case TextureAddress::kClamp:
      break;
  }
  return kernelbatch_host::kAddressClamp;
}

int texel_kind(ChannelKind kind) {
  if (kind == ChannelKind::kFloat) return kernelbatch_host::kTexelFloat;
  return kind == ChannelKind::kSigned ? kernelbatch_host::kTexelSigned
                                      : kernelbatch_host::kTexelUnsigned;
}

}  // namespace

std::unique_ptr<TextureMemory> HostTextures::make_memory(const TexelFormat& format,
                                                         const TextureExtent& extent) {
  return std::make_unique<HostTextureMemory>(format, extent, checker_);
}

std::unique_ptr<TextureObject> HostTextures::make_texture(const LinearTexels& texels,
                                                          const TexelFormat& format,
                                                          const TextureSampling& sampling) {
  const auto count = [](std::size_t extent) {
    return static_cast<long long>(std::max<std::size_t>(extent, 1));
  };
  Texture texture{};
  texture.data = static_cast<unsigned char*>(texels.data);
  texture.extent[0] = count(texels.extent.width);
  texture.extent[1] = count(texels.extent.height);
  texture.extent[2] = count(texels.extent.depth);
  texture.row_bytes = static_cast<long long>(texels.pitch);
  texture.slice_bytes = texture.row_bytes * texture.extent[1];
  texture.kind = texel_kind(format.kind);
  texture.bits = format.bits;
  texture.channels = format.channels;
  for (std::size_t axis = 0; axis < 3; ++axis)
    texture.address[axis] = address_mode(sampling.address[axis]);
  texture.is_linear = sampling.filter == TextureFilter::kLinear;
  texture.reads_normalized = sampling.read == TextureRead::kNormalizedFloat;
  texture.is_normalized = sampling.is_normalized;
  std::copy(sampling.border.begin(), sampling.border.end(), texture.border);
  return std::make_unique<HostTextureObject>(texture, checker_);
}

std::unique_ptr<TextureObject> HostTextures::make_texture(const TextureMemory& memory,
                                                          const TextureSampling& sampling) {
  const auto& own = static_cast<const HostTextureMemory&>(memory);
  return make_texture(own.texels(), own.format(), sampling);
}

std::unique_ptr<TextureObject> HostTextures::make_surface(const TextureMemory& memory) {
  return make_texture(memory, {});
}

}  // namespace kernelbatch::host
