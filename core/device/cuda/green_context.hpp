// A part of a GPU's SMs, as a context of its own: for limits.sms.
#pragma once

#include "core/device/cuda/driver.hpp"

namespace kernelbatch::cuda {

/// Limits this thread's later work on a device to some of its SMs, including the work of CUDA's
/// libraries. Memory, its bandwidth and the L2 cache stay shared.
class GreenContext {
 public:
  /// At least `units` SMs, rounded up to what the GPU can separate (8 on Hopper). Makes the context
  /// current. Precondition: the device's primary context exists. Throws UnsupportedError if the
  /// driver refuses.
  GreenContext(CUdevice device, int units);
  GreenContext(const GreenContext&) = delete;
  GreenContext& operator=(const GreenContext&) = delete;
  ~GreenContext();

  int units() const noexcept { return units_; }

 private:
  CUgreenCtx context_ = nullptr;
  int units_ = 0;
};

}  // namespace kernelbatch::cuda
