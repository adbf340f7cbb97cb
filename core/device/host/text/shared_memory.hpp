// Declarations of dynamic shared memory in a kernel's text, for the host compiler.
#pragma once

#include <string>

namespace kernelbatch::host {

/// `extern __shared__ T name[];` has no counterpart among thread-local variables: it becomes a
/// pointer to the block's dynamic shared memory, or a reference to it as an array if the text
/// casts the name to a reference (CUB's storage).
std::string rewrite_shared(const std::string& text);

}  // namespace kernelbatch::host
