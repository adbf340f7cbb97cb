#include "core/kernel/texture/texture.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/kernel/launch/argument.hpp"

namespace kernelbatch {
namespace {

TexelFormat format_of(DType dtype, int channels) {
  const DTypeInfo& type = info(dtype);
  if (!type.is_texel)
    throw SpecError(
        fmt::format("a texture cannot hold {}: its elements are integers of 8, 16 or 32 bits, "
                    "float16 or float32",
                    type.name));
  if (channels != 1 && channels != 2 && channels != 4)
    throw SpecError(fmt::format("a texel has 1, 2 or 4 channels, not {}", channels));
  const ChannelKind kind = type.kind == DTypeKind::kFloat    ? ChannelKind::kFloat
                           : type.kind == DTypeKind::kSigned ? ChannelKind::kSigned
                                                             : ChannelKind::kUnsigned;
  return {kind, static_cast<int>(8 * type.size), channels};
}

void require_sampling(const TexelFormat& format, const TextureSampling& sampling, int axes) {
  const bool is_float = format.kind == ChannelKind::kFloat;
  if (sampling.read == TextureRead::kNormalizedFloat && (is_float || format.bits == 32))
    throw SpecError("only integers of 8 and 16 bits can be read as normalized floats");
  if (sampling.filter == TextureFilter::kLinear && !is_float &&
      sampling.read == TextureRead::kElement)
    throw SpecError(
        "a linear filter needs floating-point texels, or integers read as normalized floats");
  for (int axis = 0; axis < axes; ++axis) {
    const TextureAddress address = sampling.address[static_cast<std::size_t>(axis)];
    const bool repeats = address == TextureAddress::kWrap || address == TextureAddress::kMirror;
    if (repeats && !sampling.is_normalized)
      throw SpecError(fmt::format("address mode {} needs normalized coordinates",
                                  address == TextureAddress::kWrap ? "wrap" : "mirror"));
  }
}

/// Interprets a device array as texels.
LinearTexels texels_of(const Array& array, const TexelFormat& format) {
  const int last = array.axes() - 1;
  const auto item = static_cast<std::int64_t>(size_of(array.dtype()));
  const bool is_row = array.axes() == 1 || array.axes() == 2;
  if (array.device() == nullptr || !is_row || array.size() == 0 || array.strides()[last] != item)
    throw SpecError(
        fmt::format("a texture of plain memory takes an array on the device with one or two axes "
                    "and contiguous rows, not shape {} with strides {}",
                    to_text(array.shape()), to_text(array.strides())));
  if (array.shape()[last] % format.channels != 0)
    throw SpecError(fmt::format("rows of {} elements are no whole number of texels of {} channels",
                                array.shape()[last], format.channels));
  LinearTexels texels;
  texels.data = array.data();
  texels.extent.width = static_cast<std::size_t>(array.shape()[last] / format.channels);
  texels.pitch = texels.extent.width * format.bytes();
  if (array.axes() == 2) {
    texels.extent.height = static_cast<std::size_t>(array.shape()[0]);
    if (array.strides()[0] < static_cast<std::int64_t>(texels.pitch))
      throw SpecError(fmt::format("the rows of a texture overlap: they are {} bytes apart",
                                  array.strides()[0]));
    texels.pitch = static_cast<std::size_t>(array.strides()[0]);
  }
  return texels;
}

}  // namespace

TextureArray::TextureArray(Device& device, DType dtype, int channels, const TextureExtent& extent)
    : device_(&device), dtype_(dtype), channels_(channels), extent_(extent) {
  const TexelFormat format = format_of(dtype, channels);
  if (extent.width == 0 || (extent.depth > 0 && extent.height == 0))
    throw SpecError(
        fmt::format("texture memory of width {}, height {} and depth {}: width must "
                    "not be 0, nor height if there is a depth",
                    extent.width, extent.height, extent.depth));
  memory_ = device.textures().make_memory(format, extent);
}

Shape TextureArray::shape() const {
  Shape shape;
  if (extent_.depth > 0) shape.push_back(static_cast<std::int64_t>(extent_.depth));
  if (extent_.height > 0) shape.push_back(static_cast<std::int64_t>(extent_.height));
  shape.push_back(static_cast<std::int64_t>(extent_.width) * channels_);
  return shape;
}

void TextureArray::require_fitting(const Array& array) const {
  Shape apart = shape();
  apart[apart.count() - 1] /= channels_;
  apart.push_back(channels_);
  const bool is_near = array.device() == nullptr || array.device() == device_;
  if (array.dtype() != dtype_ || !(array.shape() == shape() || array.shape() == apart) ||
      !is_near || !array.is_contiguous())
    throw SpecError(fmt::format(
        "texture memory of {} in shape {} cannot be copied from or to {} in shape {}: "
        "it takes a contiguous array of that dtype and shape on the host or its own "
        "device",
        name_of(dtype_), to_text(shape()), name_of(array.dtype()), to_text(array.shape())));
}

void TextureArray::copy_from(const Array& from, Stream& stream) {
  require_fitting(from);
  const bool from_host = from.device() == nullptr;
  memory_->copy_from(from.data(), from_host ? Copy::kToDevice : Copy::kOnDevice, stream);
  if (from_host) stream.synchronize();
  if (FilledTextures* const filled = stream.context().filled_textures) filled->add(memory_);
}

void TextureArray::copy_to(const Array& to, Stream& stream) const {
  require_fitting(to);
  const bool to_host = to.device() == nullptr;
  memory_->copy_to(to.data(), to_host ? Copy::kToHost : Copy::kOnDevice, stream);
  if (to_host) stream.synchronize();
}

Texture::Texture(const TextureArray& array, const TextureSampling& sampling)
    : memory_(array.memory_) {
  require_sampling(format_of(array.dtype_, array.channels_), sampling, array.extent_.axes());
  object_ = array.device_->textures().make_texture(*memory_, sampling);
}

Texture::Texture(const Array& array, int channels, const TextureSampling& sampling)
    : plain_(array) {
  const TexelFormat format = format_of(array.dtype(), channels);
  const LinearTexels texels = texels_of(array, format);
  require_sampling(format, sampling, texels.extent.axes());
  object_ = array.device()->textures().make_texture(texels, format, sampling);
}

Surface::Surface(const TextureArray& array)
    : memory_(array.memory_), object_(array.device_->textures().make_surface(*memory_)) {}

Argument::Argument(const Texture& texture) : kind_(Kind::kTexture), scalar_(texture.handle()) {}
Argument::Argument(const Surface& surface) : kind_(Kind::kSurface), scalar_(surface.handle()) {}

}  // namespace kernelbatch
