// The driver, the toolkit and what comes with them, as they were found.
#pragma once

#include <vector>

#include "core/device/tools.hpp"

namespace kernelbatch::cuda {

/// Never throws.
std::vector<Finding> describe_tools();

}  // namespace kernelbatch::cuda
