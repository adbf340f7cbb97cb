// Version of this program and of its compiler.
#pragma once

#include <string>

namespace kernelbatch {

/// "kernelbatch 0.1.0 (1f3a5c7)".
std::string version_text();

/// "GNU 12.2.0 Release": compiler and build type of kernelbatch.
std::string compiler_text();

}  // namespace kernelbatch
