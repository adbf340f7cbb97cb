// Inventory of the software through which GPUs are used and monitored.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kernelbatch {

/// One component and its state.
struct Finding {
  std::string name;
  bool is_good = true;  ///< false: it is missing or does not work
  std::string text;     ///< version and file, or why not
};

/// The driver, NVRTC, the toolkit, nvcc, NVML, CUPTI, the permission to read performance counters
/// and the host's compiler. Starts the driver; opens no device. Never throws.
std::vector<Finding> describe_tools();

/// Permission to read performance counters, according to the kernel module's `params` file; the
/// real file is /proc/driver/nvidia/params.
Finding counter_permission(const std::filesystem::path& params);

}  // namespace kernelbatch
