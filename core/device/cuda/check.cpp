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

}  // namespace

void check(CUresult result, std::string_view what, std::source_location where) {
  if (result == CUDA_SUCCESS) return;
  const std::string message =
      fmt::format("{} failed: {} [{}:{}]", what, describe(result), where.file_name(), where.line());
  if (result == CUDA_ERROR_OUT_OF_MEMORY) throw OutOfMemoryError(message);
  throw RunError(message);
}

void check_in_destructor(CUresult result, std::string_view what) noexcept {
  if (result == CUDA_SUCCESS || result == CUDA_ERROR_DEINITIALIZED) return;
  try {
    warn(fmt::format("{} failed while cleaning up: {}", what, describe(result)));
  } catch (...) {  // formatting failed: nothing more can be said here
  }
}

}  // namespace kernelbatch::cuda
