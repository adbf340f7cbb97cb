// A kernel's text as a C++ compiler can read it: what CUDA's language has beyond C++'s is written
// otherwise, each in its own line.
#pragma once

#include <string>
#include <string_view>

namespace kernelbatch::host {

/// `extern __shared__`, `kernel<<<grid, block>>>(…)` and inline PTX in the words of the host's
/// prelude. Throws UnsupportedError, which names what the host device does not have.
std::string host_text(std::string_view text);

}  // namespace kernelbatch::host
