// Loading images through the driver.
#pragma once

#include <memory>

#include "core/device/cuda/cuda_launch_log.hpp"
#include "core/device/device.hpp"

namespace kernelbatch::cuda {

/// Loads a cubin, fatbin or PTX into the current context. `properties` and `calls`, to which its
/// kernels write, must outlive the module.
std::unique_ptr<Module> load_module(const Image& image, const DeviceProperties& properties,
                                    LaunchCalls& calls);

}  // namespace kernelbatch::cuda
