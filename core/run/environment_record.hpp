// Where a job runs, for the result file: an allow-list, never the whole environment.
#pragma once

#include <string>
#include <vector>

#include "core/device/device.hpp"
#include "core/store/record.hpp"

namespace kernelbatch {

/// Host, GPU, software and Slurm facts. `arguments` is the command line.
EnvironmentRecord describe_environment(const DeviceProperties& device,
                                       const std::vector<std::string>& arguments);

/// "kernelbatch 0.1.0 (1f3a5c7)".
std::string version_text();

/// "GNU 12.2.0 Release": what kernelbatch was built by, and how.
std::string compiler_text();

/// "NVIDIA H200", "host AMD EPYC": what the column `device` says.
std::string device_text(const DeviceProperties& device);

}  // namespace kernelbatch
