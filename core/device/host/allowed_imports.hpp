// Functions that a kernel's library may call.
#pragma once

#include <string>

namespace kernelbatch::host {

/// True for functions that compilers, the prelude, and kernels in C++ need: memory, text, printing,
/// the C library's mathematics, and the C++ library without files, threads and the environment.
bool is_allowed_import(const std::string& symbol);

}  // namespace kernelbatch::host
