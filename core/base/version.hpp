// What this program is, and what it was built by.
#pragma once

#include <string>

namespace kernelbatch {

/// "kernelbatch 0.1.0 (1f3a5c7)".
std::string version_text();

/// "GNU 12.2.0 Release": what kernelbatch was built by, and how.
std::string compiler_text();

}  // namespace kernelbatch
