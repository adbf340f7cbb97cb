// Description of a job's environment for the result file: an allow-list, never the whole
// environment.
#pragma once

#include <string>
#include <vector>

#include "core/device/device.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

/// Host, GPU, software and Slurm facts. `arguments` is the command line.
EnvironmentRecord describe_environment(const DeviceProperties& device,
                                       const std::vector<std::string>& arguments);

}  // namespace kernelbatch
