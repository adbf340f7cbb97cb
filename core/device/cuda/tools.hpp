// The driver, the toolkit and their components, as found on this machine.
#pragma once

#include <vector>

#include "core/device/tools.hpp"

namespace kernelbatch::cuda {

/// Never throws.
std::vector<Finding> describe_tools();

}  // namespace kernelbatch::cuda
