// The name of a generated kernel's function.
#pragma once

#include <string>

namespace kernelbatch {

/// `name`, or, where CUDA and C have a function of this name, which no kernel may declare again,
/// `name_kernel`.
std::string entry_name(const std::string& name);

}  // namespace kernelbatch
