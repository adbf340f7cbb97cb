#include "core/device/cuda/cuda_texture.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/device/cuda/cuda_launch.hpp"

namespace kernelbatch::cuda {
namespace {

void destroy_array(CUarray array) noexcept {
  check_in_destructor(driver_state().functions.cuArrayDestroy_(array), "cuArrayDestroy");
}
using ArrayHandle = UniqueHandle<CUarray, destroy_array>;

CUarray_format format_of(const TexelFormat& format) {
  switch (format.kind) {
    case ChannelKind::kSigned:
      return format.bits == 8    ? CU_AD_FORMAT_SIGNED_INT8
             : format.bits == 16 ? CU_AD_FORMAT_SIGNED_INT16
                                 : CU_AD_FORMAT_SIGNED_INT32;
    case ChannelKind::kUnsigned:
      return format.bits == 8    ? CU_AD_FORMAT_UNSIGNED_INT8
             : format.bits == 16 ? CU_AD_FORMAT_UNSIGNED_INT16
                                 : CU_AD_FORMAT_UNSIGNED_INT32;
    case ChannelKind::kFloat:
      break;
  }
  return format.bits == 16 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
}

CUaddress_mode mode_of(TextureAddress address) {
  switch (address) {
    case TextureAddress::kWrap:
      return CU_TR_ADDRESS_MODE_WRAP;
    case TextureAddress::kMirror:
      return CU_TR_ADDRESS_MODE_MIRROR;
    case TextureAddress::kBorder:
      return CU_TR_ADDRESS_MODE_BORDER;
    case TextureAddress::kClamp:
      break;
  }
  return CU_TR_ADDRESS_MODE_CLAMP;
}

class CudaTextureMemory final : public TextureMemory {
 public:
  CudaTextureMemory(const TexelFormat& format, const TextureExtent& extent)
      : TextureMemory(format, extent), row_bytes_(extent.width * format.bytes()) {
    CUDA_ARRAY3D_DESCRIPTOR descriptor{};
    descriptor.Width = extent.width;
    descriptor.Height = extent.height;
    descriptor.Depth = extent.depth;
    descriptor.Format = format_of(format);
    descriptor.NumChannels = static_cast<unsigned>(format.channels);
    descriptor.Flags = CUDA_ARRAY3D_SURFACE_LDST;
    CUarray array = nullptr;
    check(driver().cuArray3DCreate_(&array, &descriptor),
          fmt::format("making an array of {} x {} x {} texels of {} bytes", extent.width,
                      extent.height, extent.depth, format.bytes()));
    handle_ = ArrayHandle{array};
  }

  void copy_from(const void* texels, Copy kind, Stream& stream) override {
    CUDA_MEMCPY3D copy = whole();
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = handle_.get();
    copy.srcPitch = row_bytes_;
    copy.srcHeight = copy.Height;
    copy.srcMemoryType = kind == Copy::kToDevice ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    copy.srcHost = texels;
    copy.srcDevice = reinterpret_cast<CUdeviceptr>(texels);
    queue(copy, stream, "copy to texture memory");
  }

  void copy_to(void* texels, Copy kind, Stream& stream) const override {
    CUDA_MEMCPY3D copy = whole();
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcArray = handle_.get();
    copy.dstPitch = row_bytes_;
    copy.dstHeight = copy.Height;
    copy.dstMemoryType = kind == Copy::kToHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    copy.dstHost = texels;
    copy.dstDevice = reinterpret_cast<CUdeviceptr>(texels);
    queue(copy, stream, "copy from texture memory");
  }

  CUDA_RESOURCE_DESC resource() const {
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = handle_.get();
    return resource;
  }

 private:
  CUDA_MEMCPY3D whole() const {
    CUDA_MEMCPY3D copy{};
    copy.WidthInBytes = row_bytes_;
    copy.Height = std::max<std::size_t>(extent().height, 1);
    copy.Depth = std::max<std::size_t>(extent().depth, 1);
    return copy;
  }
  static void queue(const CUDA_MEMCPY3D& copy, Stream& stream, std::string_view what) {
    check(driver().cuMemcpy3DAsync_(&copy, static_cast<CudaStream&>(stream).handle()), what);
  }

  std::size_t row_bytes_;
  ArrayHandle handle_;
};

class CudaTexture final : public TextureObject {
 public:
  CudaTexture(const CUDA_RESOURCE_DESC& resource, const TextureSampling& sampling, int axes) {
    CUDA_TEXTURE_DESC texture{};
    // Unused axes are sampled too: in border mode half of the weight would be lost.
    for (std::size_t axis = 0; axis < 3; ++axis)
      texture.addressMode[axis] =
          mode_of(static_cast<int>(axis) < axes ? sampling.address[axis] : TextureAddress::kClamp);
    texture.filterMode = sampling.filter == TextureFilter::kLinear ? CU_TR_FILTER_MODE_LINEAR
                                                                   : CU_TR_FILTER_MODE_POINT;
    if (sampling.read == TextureRead::kElement) texture.flags |= CU_TRSF_READ_AS_INTEGER;
    if (sampling.is_normalized) texture.flags |= CU_TRSF_NORMALIZED_COORDINATES;
    std::copy(sampling.border.begin(), sampling.border.end(), texture.borderColor);
    check(driver().cuTexObjectCreate_(&handle_, &resource, &texture, nullptr),
          "making a texture object");
  }
  CudaTexture(const CudaTexture&) = delete;
  CudaTexture& operator=(const CudaTexture&) = delete;
  ~CudaTexture() override {
    check_in_destructor(driver_state().functions.cuTexObjectDestroy_(handle_),
                        "cuTexObjectDestroy");
  }
  std::uint64_t handle() const noexcept override { return handle_; }

 private:
  CUtexObject handle_ = 0;
};

class CudaSurface final : public TextureObject {
 public:
  explicit CudaSurface(const CUDA_RESOURCE_DESC& resource) {
    check(driver().cuSurfObjectCreate_(&handle_, &resource), "making a surface object");
  }
  CudaSurface(const CudaSurface&) = delete;
  CudaSurface& operator=(const CudaSurface&) = delete;
  ~CudaSurface() override {
    check_in_destructor(driver_state().functions.cuSurfObjectDestroy_(handle_),
                        "cuSurfObjectDestroy");
  }
  std::uint64_t handle() const noexcept override { return handle_; }

 private:
  CUsurfObject handle_ = 0;
};

std::size_t device_attribute(CUdevice_attribute which) {
  CUdevice device = 0;
  int value = 0;
  check(driver().cuCtxGetDevice_(&device), "cuCtxGetDevice");
  check(driver().cuDeviceGetAttribute_(&value, which, device), "cuDeviceGetAttribute");
  return static_cast<std::size_t>(value);
}

void require_alignment(const LinearTexels& texels) {
  const std::size_t start = device_attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT);
  if (reinterpret_cast<std::uintptr_t>(texels.data) % start != 0)
    throw SpecError(
        fmt::format("a texture of plain memory must begin at a multiple of {} bytes: pass a whole "
                    "array, not a slice of one",
                    start));
  const std::size_t pitch = device_attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT);
  if (texels.extent.height > 0 && texels.pitch % pitch != 0)
    throw SpecError(fmt::format(
        "a texture of plain memory must have rows a multiple of {} bytes apart: they are {} apart",
        pitch, texels.pitch));
}

}  // namespace

std::unique_ptr<TextureMemory> CudaTextures::make_memory(const TexelFormat& format,
                                                         const TextureExtent& extent) {
  return std::make_unique<CudaTextureMemory>(format, extent);
}

std::unique_ptr<TextureObject> CudaTextures::make_texture(const TextureMemory& memory,
                                                          const TextureSampling& sampling) {
  const auto& texels = static_cast<const CudaTextureMemory&>(memory);
  return std::make_unique<CudaTexture>(texels.resource(), sampling, texels.extent().axes());
}

std::unique_ptr<TextureObject> CudaTextures::make_texture(const LinearTexels& texels,
                                                          const TexelFormat& format,
                                                          const TextureSampling& sampling) {
  require_alignment(texels);
  CUDA_RESOURCE_DESC resource{};
  const auto data = reinterpret_cast<CUdeviceptr>(texels.data);
  const auto channels = static_cast<unsigned>(format.channels);
  if (texels.extent.height == 0) {
    resource.resType = CU_RESOURCE_TYPE_LINEAR;
    resource.res.linear.devPtr = data;
    resource.res.linear.format = format_of(format);
    resource.res.linear.numChannels = channels;
    resource.res.linear.sizeInBytes = texels.extent.width * format.bytes();
  } else {
    resource.resType = CU_RESOURCE_TYPE_PITCH2D;
    resource.res.pitch2D.devPtr = data;
    resource.res.pitch2D.format = format_of(format);
    resource.res.pitch2D.numChannels = channels;
    resource.res.pitch2D.width = texels.extent.width;
    resource.res.pitch2D.height = texels.extent.height;
    resource.res.pitch2D.pitchInBytes = texels.pitch;
  }
  return std::make_unique<CudaTexture>(resource, sampling, texels.extent.axes());
}

std::unique_ptr<TextureObject> CudaTextures::make_surface(const TextureMemory& memory) {
  return std::make_unique<CudaSurface>(static_cast<const CudaTextureMemory&>(memory).resource());
}

}  // namespace kernelbatch::cuda
