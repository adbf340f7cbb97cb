#include "core/device/cuda/check.hpp"

#include <fmt/format.h>

#include <string>

#include "core/base/error.hpp"

namespace kernelbatch::cuda {
namespace {

std::string describe(CUresult result) {
  const Driver& functions = driver_state().functions;
  const char* name = nullptr;
  const char* text = nullptr;
  functions.cuGetErrorName_(result, &name);
  functions.cuGetErrorString_(result, &text);
  return fmt::format("{}: {}", name != nullptr ? name : "unknown error",
                     text != nullptr ? text : "no description");
}

/// True if the GPU, its driver or its permissions failed, not the work. Errors such as
/// CUDA_ERROR_ILLEGAL_ADDRESS are the work's.
bool is_lost(CUresult result) {
  switch (result) {
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_OPERATING_SYSTEM:
    case CUDA_ERROR_NOT_PERMITTED:
    case CUDA_ERROR_SYSTEM_NOT_READY:
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
      return true;
    default:
      return false;
  }
}

}  // namespace

void check(CUresult result, std::string_view what, const char* file, int line) {
  if (result == CUDA_SUCCESS) return;
  const std::string message =
      fmt::format("{} failed: {} [{}:{}]", what, describe(result), file, line);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) throw OutOfMemoryError(message);
  if (is_lost(result)) throw EnvironmentError(message);
  throw RunError(message);
}

void check_in_destructor(CUresult result, std::string_view what) noexcept {
  if (result == CUDA_SUCCESS || result == CUDA_ERROR_DEINITIALIZED) return;
  try {
    warn(fmt::format("{} failed while cleaning up: {}", what, describe(result)));
  } catch (...) {  // formatting failed: nothing can be reported
  }
}

}  // namespace kernelbatch::cuda
