// Options that say what is told of kernels, shared by `run` and `compile`.
#pragma once

#include <vector>

#include "core/app/options.hpp"

namespace kernelbatch::app {

/// --keep-source and --verbose. Their environment twins are what kernels and workers look at.
std::vector<Option> kernel_options();

}  // namespace kernelbatch::app
