// PTX of a kernel that Triton compiled, from its cache.
#pragma once

#include <string>

namespace kernelbatch::app {

/// The PTX next to a .cubin file with this content; empty if the caches of Triton and PyTorch's
/// Inductor have none. The driver only gets the cubin.
std::string ptx_in_triton_cache(const std::string& kernel, const std::string& cubin);

}  // namespace kernelbatch::app
