// The CUDA backend's device: primary context, stream-ordered memory, streams and events.
#pragma once

#include <memory>

#include "core/device/device.hpp"

namespace kernelbatch::cuda {

/// Opens the GPU or slice with the driver's ordinal. `is_checked`: for compute-sanitizer, under
/// which this process runs. Throws DeviceError.
std::unique_ptr<Device> open(int ordinal, bool is_checked = false);

}  // namespace kernelbatch::cuda
