// Error checks of driver calls: a throwing form, and one for destructors.
#pragma once

#include <string_view>

#include "core/device/cuda/driver.hpp"

namespace kernelbatch::cuda {

/// Throws RunError (OutOfMemoryError for CUDA_ERROR_OUT_OF_MEMORY) with `what` and the driver's
/// message unless `result` is CUDA_SUCCESS. (clang 14 has no std::source_location.)
void check(CUresult result, std::string_view what, const char* file = __builtin_FILE(),
           int line = __builtin_LINE());

/// Reports through warn() instead of throwing; silent while the driver shuts down.
void check_in_destructor(CUresult result, std::string_view what) noexcept;

}  // namespace kernelbatch::cuda
