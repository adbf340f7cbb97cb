// Checks that bytes are compiled code of the kind that a file's extension promises.
#pragma once

#include <string>
#include <string_view>

namespace kernelbatch {

/// Why `bytes` are not a complete .cubin, .fatbin or .ptx; empty if they are. The driver itself
/// cannot check that, because it does not get the size.
std::string reason_no_code(std::string_view extension, std::string_view bytes);

/// Why a GPU of the architecture `target` ("sm_90") cannot run a .cubin or .ptx, with both
/// architectures; empty if it can, or for a fat binary or another device.
std::string reason_not_for(std::string_view target, std::string_view bytes);

}  // namespace kernelbatch
