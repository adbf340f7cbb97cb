// Whether bytes are compiled code of the kind that a file's extension promises.
#pragma once

#include <string>
#include <string_view>

namespace kernelbatch {

/// Why `bytes` are no whole .cubin, .fatbin or .ptx; empty where they are. The driver itself cannot
/// be asked: it is not told where the bytes end.
std::string reason_no_code(std::string_view extension, std::string_view bytes);

}  // namespace kernelbatch
