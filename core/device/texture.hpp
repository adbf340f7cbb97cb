// Textures and surfaces: plain descriptions and small abstract owners.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/base/texture_choices.hpp"
#include "core/device/device.hpp"

namespace kernelbatch {

enum class ChannelKind : std::uint8_t { kSigned, kUnsigned, kFloat };

/// A texel: 1, 2 or 4 channels of 8, 16 or 32 bits.
struct TexelFormat {
  ChannelKind kind = ChannelKind::kFloat;
  int bits = 32;
  int channels = 1;
  std::size_t bytes() const noexcept {
    return static_cast<std::size_t>(bits) / 8 * static_cast<std::size_t>(channels);
  }
  friend bool operator==(const TexelFormat&, const TexelFormat&) = default;
};

/// In texels. A height or depth of 0 means that the axis does not exist.
struct TextureExtent {
  std::size_t width = 0, height = 0, depth = 0;
  int axes() const noexcept { return depth > 0 ? 3 : height > 0 ? 2 : 1; }
  std::size_t count() const noexcept {
    return width * (height > 0 ? height : 1) * (depth > 0 ? depth : 1);
  }
  friend bool operator==(const TextureExtent&, const TextureExtent&) = default;
};

struct TextureSampling {
  std::array<TextureAddress, 3> address{TextureAddress::kClamp, TextureAddress::kClamp,
                                        TextureAddress::kClamp};
  TextureFilter filter = TextureFilter::kPoint;
  TextureRead read = TextureRead::kElement;
  bool is_normalized = false;        ///< coordinates run from 0 to 1
  std::array<float, 4> border = {};  ///< the texel beyond the edge, for kBorder
};

/// Memory with a device-specific layout (a CUDA array).
class TextureMemory {
 public:
  TextureMemory(const TexelFormat& format, const TextureExtent& extent) noexcept
      : format_(format), extent_(extent) {}
  virtual ~TextureMemory();
  const TexelFormat& format() const noexcept { return format_; }
  const TextureExtent& extent() const noexcept { return extent_; }
  /// Bytes of all texels without gaps.
  std::size_t bytes() const noexcept { return extent_.count() * format_.bytes(); }
  /// Queues a copy of all texels, stored without gaps, from host (kToDevice) or device memory
  /// (kOnDevice).
  virtual void copy_from(const void* texels, Copy kind, Stream& stream) = 0;
  /// Queues a copy of all texels without gaps to host (kToHost) or device memory (kOnDevice).
  virtual void copy_to(void* texels, Copy kind, Stream& stream) const = 0;

 private:
  TexelFormat format_;
  TextureExtent extent_;
};

/// A texture or surface object.
class TextureObject {
 public:
  virtual ~TextureObject();
  /// Value of a kernel's cudaTextureObject_t or cudaSurfaceObject_t.
  virtual std::uint64_t handle() const noexcept = 0;
};

/// Plain device memory used as a texture: one row, or rows `pitch` bytes apart.
struct LinearTexels {
  void* data = nullptr;
  TextureExtent extent;  ///< without height: read only by tex1Dfetch
  std::size_t pitch = 0;
};

/// Creates them. Memory and linear texels must outlive the objects made of them. Throws SpecError
/// for what the device does not support, OutOfMemoryError.
class TextureFactory {
 public:
  virtual ~TextureFactory();
  virtual std::unique_ptr<TextureMemory> make_memory(const TexelFormat& format,
                                                     const TextureExtent& extent) = 0;
  virtual std::unique_ptr<TextureObject> make_texture(const TextureMemory& memory,
                                                      const TextureSampling& sampling) = 0;
  virtual std::unique_ptr<TextureObject> make_texture(const LinearTexels& texels,
                                                      const TexelFormat& format,
                                                      const TextureSampling& sampling) = 0;
  virtual std::unique_ptr<TextureObject> make_surface(const TextureMemory& memory) = 0;
};

}  // namespace kernelbatch
