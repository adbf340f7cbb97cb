// nvcc as a kernel compiler: kernel text → cubin, through a child process.
#pragma once

#include <string_view>

#include "core/device/device.hpp"

namespace kernelbatch::cuda {

/// Compiles for "sm_90" and the like. Throws UnsupportedError if there is no nvcc, CompileError,
/// and SpecError for options or folders that nvcc's shell would alter.
Image compile_with_nvcc(const KernelSource& source, std::string_view target);

}  // namespace kernelbatch::cuda
