// What a machine has of the things that GPUs are used and watched through.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kernelbatch {

/// One thing, and what was found of it.
struct Finding {
  std::string name;
  bool is_good = true;  ///< false: it is missing or does not work
  std::string text;     ///< version and file, or why not
};

/// The driver, NVRTC, the toolkit, nvcc, NVML, CUPTI, the permission to read performance counters
/// and the host's compiler. Starts the driver; opens no device. Never throws.
std::vector<Finding> describe_tools();

/// Who may read performance counters, by the kernel module's own word in `params`; the real file is
/// /proc/driver/nvidia/params.
Finding counter_permission(const std::filesystem::path& params);

}  // namespace kernelbatch
