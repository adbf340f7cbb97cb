// The CUDA backend's device: primary context, stream-ordered memory, streams and events.
#pragma once

#include <memory>

#include "core/device/device.hpp"

namespace kernelbatch::cuda {

/// Opens the GPU or slice with the driver's ordinal. `is_checked`: this process runs under
/// compute-sanitizer. Throws DeviceError.
std::unique_ptr<Device> open(int ordinal, bool is_checked = false);

}  // namespace kernelbatch::cuda
