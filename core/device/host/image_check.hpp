// Check of a kernel's library before it is loaded.
#pragma once

#include <string_view>

namespace kernelbatch::host {

/// Throws CompileError, with the names, if a library compiled from a kernel's text runs code when
/// it is loaded or unloaded (constructors, destructors, IFUNC resolvers), or calls a function that
/// kernels do not need: those of the operating system. `reports_accesses`: code for the checks has
/// one constructor, the compiler's.
void require_plain_image(std::string_view library, bool reports_accesses);

}  // namespace kernelbatch::host
