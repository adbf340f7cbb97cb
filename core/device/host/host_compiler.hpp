// The system's C++ compiler as a kernel compiler: text → shared library.
#pragma once

#include <memory>

#include "core/device/device.hpp"

namespace kernelbatch::host {

/// Uses the first of $CXX, g++, clang++, c++. Needs none of them until compile() is called; then
/// throws UnsupportedError where there is no compiler.
/// `tells_accesses`: its code tells the host device's checks what it does.
std::unique_ptr<Compiler> make_host_compiler(bool tells_accesses = false);

/// "host-x86-64-1f3a5c7e": the architecture, and a hash of this CPU's name and features, since
/// kernels are compiled for exactly this CPU.
std::string host_target();

}  // namespace kernelbatch::host
