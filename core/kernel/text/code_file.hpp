// Checks that bytes are compiled code of the kind that a file's extension promises.
#pragma once

#include <string>
#include <string_view>

namespace kernelbatch {

/// Why `bytes` are not a complete .cubin, .fatbin or .ptx; empty if they are. The driver itself
/// cannot check that, because it does not get the size.
std::string reason_no_code(std::string_view extension, std::string_view bytes);

}  // namespace kernelbatch
