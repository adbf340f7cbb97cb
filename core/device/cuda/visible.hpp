// Which GPUs and MIG slices this process can use, and why not.
#pragma once

#include <string>
#include <vector>

#include "core/device/device.hpp"

namespace kernelbatch::cuda {

struct Visible {
  std::vector<DeviceProperties> devices;  ///< in the driver's order
  std::string reason;                     ///< one sentence where `devices` is empty
  std::string driver;                     ///< "13.0"
};

/// Asks the driver; creates no context.
Visible visible_devices();

}  // namespace kernelbatch::cuda
