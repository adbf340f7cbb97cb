// The CUDA backend's device: primary context, stream-ordered memory, streams and events.
#pragma once

#include <memory>

#include "core/device/device.hpp"

namespace kernelbatch::cuda {

/// Opens the GPU or slice with the driver's ordinal. Throws DeviceError.
std::unique_ptr<Device> open(int ordinal);

}  // namespace kernelbatch::cuda
