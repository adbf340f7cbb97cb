// The system's C++ compiler as a kernel compiler: text → shared library.
#pragma once

#include <memory>

#include "core/device/device.hpp"

namespace kernelbatch::host {

/// Uses the first of $CXX, g++, clang++, c++. The compiler is needed only when compile() is called,
/// which throws UnsupportedError if there is none. `tells_accesses`: compiled code reports its
/// accesses to the host device's checks.
std::unique_ptr<Compiler> make_host_compiler(bool tells_accesses = false);

/// "host-x86-64-1f3a5c7e": the architecture, and a hash of this CPU's name and features, since
/// kernels are compiled for exactly this CPU.
std::string host_target();

}  // namespace kernelbatch::host
