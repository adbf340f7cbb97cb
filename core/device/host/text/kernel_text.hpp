// Translates a kernel's text for a C++ compiler: CUDA's language extensions are replaced line by
// line.
#pragma once

#include <string>
#include <string_view>

namespace kernelbatch::host {

/// Replaces `extern __shared__`, `kernel<<<grid, block>>>(…)` and inline PTX with the host
/// prelude's functions and macros. Throws UnsupportedError naming what the host device lacks.
std::string host_text(std::string_view text);

}  // namespace kernelbatch::host
