// The name of a generated kernel's function.
#pragma once

#include <string>

namespace kernelbatch {

/// `name`, or `name_kernel` if CUDA or C has a function of this name, which no kernel may
/// redeclare.
std::string entry_name(const std::string& name);

}  // namespace kernelbatch
