// The compilers for kernels in CUDA C++.
#pragma once

#include <cstdint>

#include "core/base/choice.hpp"

namespace kernelbatch {

/// Compiler of a device's toolkit; the host has only one.
enum class CompilerBackend : std::uint8_t { kNvrtc, kNvcc };
template <>
struct Names<CompilerBackend> {
  static constexpr Named<CompilerBackend> rows[] = {{CompilerBackend::kNvrtc, "nvrtc"},
                                                    {CompilerBackend::kNvcc, "nvcc"}};
};

}  // namespace kernelbatch
