// Which GPUs and MIG slices this process can use, and why not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/device/device.hpp"

namespace kernelbatch::cuda {

struct Visible {
  std::vector<DeviceProperties> devices;  ///< in the driver's order
  std::vector<DeviceProperties> hidden;   ///< slices that CUDA does not show to this process
  std::string reason;                     ///< one sentence where `devices` is empty
  std::string driver;                     ///< "13.0 (580.65.06)"
  std::string unknown;  ///< why identities may be missing, as of slices' GPUs; empty otherwise
};

/// Asks the driver, and NVML for what it does not tell; creates no context.
Visible visible_devices();

/// The UUID of a slice of this node, by its name in any form (find_slice()). Does not start CUDA,
/// of which a process sees one slice alone. Empty where NVML does not know this node's slices.
/// Throws DeviceError for a slice that is not there or that CUDA_VISIBLE_DEVICES does not grant.
std::string choose_slice(std::string_view name);

/// Why no visible device has this UUID, with the nearest that has one.
std::string why_not_visible(std::string_view uuid, const Visible& visible);

/// UUIDs of all devices that CUDA_VISIBLE_DEVICES grants, in its order: the slices it names, of
/// which CUDA shows but one to a process, else the devices that CUDA shows.
std::vector<std::string> granted_devices();

/// The ordinal of a slice, which CUDA is made to show where it has not started. Not while other
/// threads read the environment. Throws DeviceError where it shows another.
int ordinal_of_slice(const std::string& uuid);

}  // namespace kernelbatch::cuda
