// PrimaryContext: the context that a device's users in one process share.
#pragma once

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/device/cuda/check.hpp"

namespace kernelbatch::cuda {

/// Keeps the device's primary context alive and current on this thread.
class PrimaryContext {
 public:
  /// `before` is called with the device before the context allocates anything.
  template <class Before>
  PrimaryContext(int ordinal, const Before& before) {
    check(driver().cuDeviceGet_(&device_, ordinal), "cuDeviceGet");
    before(device_);
    CUcontext context = nullptr;
    const CUresult result = driver().cuDevicePrimaryCtxRetain_(&context, device_);
    if (result == CUDA_ERROR_DEVICE_UNAVAILABLE)
      throw DeviceError(
          fmt::format("cuda:{} is in use by another process and set to exclusive mode", ordinal));
    try {
      check(result, fmt::format("creating the context of cuda:{}", ordinal));
    } catch (const OutOfMemoryError&) {
      throw;
    } catch (const RunError& error) {
      // An unusable device: it has vanished or is broken.
      throw DeviceError(error.what());
    }
    check(driver().cuCtxSetCurrent_(context), "cuCtxSetCurrent");
  }
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;
  ~PrimaryContext() {
    check_in_destructor(driver_state().functions.cuDevicePrimaryCtxRelease_(device_),
                        "cuDevicePrimaryCtxRelease");
  }
  CUdevice device() const noexcept { return device_; }

 private:
  CUdevice device_ = 0;
};

}  // namespace kernelbatch::cuda
