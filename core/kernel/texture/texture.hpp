// Texture and Surface: kernels access them through cudaTextureObject_t and cudaSurfaceObject_t.
#pragma once

#include <memory>
#include <vector>

#include "core/array/array.hpp"
#include "core/device/texture.hpp"

namespace kernelbatch {

/// Texels in a device-specific layout (a CUDA array), which textures read and surfaces read and
/// write. Cheap to copy; copies share the memory.
class TextureArray {
 public:
  /// `channels` elements of `dtype` (8, 16 or 32 bits, not complex) are a texel. Throws SpecError
  /// for formats and extents that textures do not support.
  TextureArray(Device& device, DType dtype, int channels, const TextureExtent& extent);

  /// Depth, height and width × channels, without absent axes: the shape of arrays copied from and
  /// to. Several channels may also be a separate last axis.
  Shape shape() const;
  /// From a contiguous array on the host or the stream's device, which
  /// the stream's run then lists as filled. Returns when a host array is no longer needed. Throws
  /// SpecError for another dtype or shape.
  void copy_from(const Array& from, Stream& stream);
  /// To a contiguous array on the host (then done when the call returns) or the stream's device.
  void copy_to(const Array& to, Stream& stream) const;

  DType dtype() const noexcept { return dtype_; }
  int channels() const noexcept { return channels_; }
  const TextureExtent& extent() const noexcept { return extent_; }

 private:
  friend class Texture;
  friend class Surface;
  void require_fitting(const Array& array) const;

  Device* device_;
  DType dtype_;
  int channels_;
  TextureExtent extent_;
  std::shared_ptr<TextureMemory> memory_;  // of this and of what was made from it
};

/// A texture object. Cheap to copy; must outlive the work that reads it.
class Texture {
 public:
  /// Throws SpecError for unsupported sampling: a linear filter of integers that are read as such,
  /// wrap or mirror without normalized coordinates.
  explicit Texture(const TextureArray& array, const TextureSampling& sampling = {});
  /// A texture of plain device memory: one contiguous axis, read only by tex1Dfetch, or two axes
  /// with any row pitch, read by tex2D.
  explicit Texture(const Array& array, int channels = 1, const TextureSampling& sampling = {});

  std::uint64_t handle() const noexcept { return object_->handle(); }

 private:
  Array plain_;                            // keeps the memory
  std::shared_ptr<TextureMemory> memory_;  // likewise
  std::shared_ptr<TextureObject> object_;  // last: goes before the memory; copies share it
};

/// A surface object. Cheap to copy; must outlive the work that uses it.
class Surface {
 public:
  explicit Surface(const TextureArray& array);

  std::uint64_t handle() const noexcept { return object_->handle(); }

 private:
  std::shared_ptr<TextureMemory> memory_;
  std::shared_ptr<TextureObject> object_;
};

}  // namespace kernelbatch
