#include "core/device/cuda/capture/cache_flush.hpp"

#include <cstddef>
#include <vector>

namespace kernelbatch::capture {

void CacheFlush::flush() {
  CUcontext context = nullptr;
  CUdevice device = 0;
  int cache_bytes = 0;
  if (cuda_.cuCtxGetCurrent_(&context) != CUDA_SUCCESS ||
      cuda_.cuCtxGetDevice_(&device) != CUDA_SUCCESS ||
      cuda_.cuDeviceGetAttribute_(&cache_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, device) !=
          CUDA_SUCCESS)
    return;
  const std::size_t bytes = 2 * static_cast<std::size_t>(cache_bytes);
  const auto [place, is_new] = memory_.try_emplace(context, 0);
  if (is_new && cuda_.cuMemAlloc_(&place->second, bytes) != CUDA_SUCCESS) place->second = 0;
  if (place->second == 0) return;
  cuda_.cuMemsetD8_(place->second, 0, bytes);
  // Reading evicts the lines that the memset wrote.
  std::vector<std::byte> read(bytes);
  cuda_.cuMemcpyDtoH_(read.data(), place->second, bytes);
  cuda_.cuCtxSynchronize_();
}

}  // namespace kernelbatch::capture
