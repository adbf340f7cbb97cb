// The GPUs and MIG slices that this process can use, and why others cannot be used.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/device/device.hpp"

namespace kernelbatch::cuda {

struct Visible {
  std::vector<DeviceProperties> devices;  ///< in the driver's order
  std::vector<DeviceProperties> hidden;   ///< slices that CUDA does not show to this process
  std::string reason;                     ///< one sentence if `devices` is empty
  std::string driver;                     ///< "13.0 (580.65.06)"
  std::string unknown;  ///< why identities (e.g. slices' GPUs) may be missing, or empty
};

/// Queries the driver, and NVML for what the driver lacks; creates no context.
Visible visible_devices();

/// The UUID of a slice of this node, by its name in any form (find_slice()). Does not start CUDA,
/// which shows only one slice to a process. Empty if NVML does not know this node's slices. Throws
/// DeviceError for a slice that does not exist or that CUDA_VISIBLE_DEVICES does not grant.
std::string choose_slice(std::string_view name);

/// Why no visible device has this UUID, with the nearest UUID of a visible one.
std::string why_not_visible(std::string_view uuid, const Visible& visible);

/// UUIDs of all devices that CUDA_VISIBLE_DEVICES grants, in its order: the slices it names, of
/// which CUDA shows only one to a process, else the devices that CUDA shows.
std::vector<std::string> granted_devices();

/// The ordinal of a slice. If CUDA has not started yet, it is made to show that slice. Do not call
/// while other threads read the environment. Throws DeviceError if CUDA shows another device.
int ordinal_of_slice(const std::string& uuid);

}  // namespace kernelbatch::cuda
