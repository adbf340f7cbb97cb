#include "core/device/cuda/driver.hpp"

#include <fmt/format.h>

#include <atomic>
#include <optional>

#include "core/base/error.hpp"
#include "core/base/shared_library.hpp"

// Two steps, so that cuda.h's renaming macros are expanded before the name is quoted.
#define KERNELBATCH_QUOTE(text) KERNELBATCH_QUOTE_EXPANDED(text)
#define KERNELBATCH_QUOTE_EXPANDED(text) #text

namespace kernelbatch::cuda {
namespace {

constexpr int kOldestDriver = 12080;

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string describe_failed_init(CUresult result, const Driver& functions) {
  switch (result) {
    case CUDA_ERROR_NO_DEVICE:
      return "the driver finds no GPU";
    case CUDA_ERROR_STUB_LIBRARY:
      return "the libcuda found is the toolkit's stub, not a driver; remove the stubs folder from "
             "LD_LIBRARY_PATH";
    case CUDA_ERROR_NOT_PERMITTED:
    case CUDA_ERROR_OPERATING_SYSTEM:
      return "no permission to use the GPU's device files (/dev/nvidia*)";
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
      return "the user-mode driver does not match the kernel's driver; the node needs a reboot or "
             "a reinstalled driver";
    case CUDA_ERROR_UNKNOWN:
      return "the driver fails to start (unknown error; see dmesg)";
    default:
      break;
  }
  const char* name = nullptr;
  if (functions.cuGetErrorName_ != nullptr) functions.cuGetErrorName_(result, &name);
  return fmt::format("the driver fails to start: {}",
                     name != nullptr ? name : fmt::format("error {}", static_cast<int>(result)));
}

std::atomic<bool> is_open{false};

DriverState open_driver() {
  is_open = true;
  DriverState state;
  std::string loader_reason;
  // Never unloaded: objects of it may be closed late in the process's life.
  std::optional<SharedLibrary> library =
      SharedLibrary::try_open("libcuda.so.1", SharedLibrary::Lifetime::kProcess, &loader_reason);
  if (!library) {
    state.reason = loader_reason.find("No such file") != std::string::npos
                       ? "no NVIDIA driver on this machine (libcuda.so.1 not found)"
                       : fmt::format("the NVIDIA driver cannot be loaded: {}", loader_reason);
    return state;
  }
  std::string missing;
#define KERNELBATCH_CUDA_FIND(name)                                                                \
  state.functions.name##_ =                                                                        \
      reinterpret_cast<decltype(state.functions.name##_)>(library->find(KERNELBATCH_QUOTE(name))); \
  if (state.functions.name##_ == nullptr && missing.empty()) missing = KERNELBATCH_QUOTE(name);
  KERNELBATCH_CUDA_FUNCTIONS(KERNELBATCH_CUDA_FIND)
#undef KERNELBATCH_CUDA_FIND

  int version = 0;
  if (state.functions.cuDriverGetVersion_ != nullptr) state.functions.cuDriverGetVersion_(&version);
  if (version != 0) state.version = version_text(version);
  if (version != 0 && (version < kOldestDriver || !missing.empty())) {
    state.reason = fmt::format(
        "the driver is too old: it supports CUDA {}, and kernelbatch needs {} or newer{}",
        version_text(version), version_text(kOldestDriver),
        missing.empty() ? "" : fmt::format(" ({} is missing)", missing));
    return state;
  }
  if (!missing.empty()) {
    state.reason = fmt::format("libcuda.so.1 is not a usable driver: {} is missing", missing);
    return state;
  }
  const CUresult result = state.functions.cuInit_(0);
  state.has_no_device = result == CUDA_ERROR_NO_DEVICE;
  if (result != CUDA_SUCCESS) state.reason = describe_failed_init(result, state.functions);
  return state;
}

}  // namespace

const DriverState& driver_state() {
  // One driver per process; a failed start is not retried, since cuInit's answer does not change.
  static const DriverState state = open_driver();
  return state;
}

bool is_driver_open() noexcept { return is_open; }

const Driver& driver() {
  const DriverState& state = driver_state();
  if (!state.reason.empty()) throw DeviceError(state.reason);
  return state.functions;
}

}  // namespace kernelbatch::cuda
