// The CUDA backend's device: primary context, stream-ordered memory, streams and events.
#pragma once

#include <memory>

#include "core/device/device.hpp"

namespace kernelbatch::cuda {

struct OpenMode {
  bool is_checked = false;  ///< this process runs under compute-sanitizer
  int units = 0;            ///< SMs to use; 0: all
};

/// Opens the GPU or slice with the driver's ordinal. Throws DeviceError, and UnsupportedError if so
/// few SMs cannot be separated.
std::unique_ptr<Device> open(int ordinal, const OpenMode& mode = {});

}  // namespace kernelbatch::cuda
