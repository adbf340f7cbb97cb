#include "core/device/cuda/tools.hpp"

#include <fmt/format.h>

#include <optional>

#include "core/base/shared_library.hpp"
#include "core/device/cuda/compile/nvrtc_compiler.hpp"
#include "core/device/cuda/cupti/cupti.hpp"
#include "core/device/cuda/driver.hpp"
#include "core/device/cuda/inventory.hpp"
#include "core/device/cuda/nvml.hpp"
#include "core/device/cuda/toolkit.hpp"

namespace kernelbatch::cuda {
namespace {

namespace fs = std::filesystem;

/// " from /usr/lib/…/libcuda.so.1", of a library that is open.
std::string origin(const char* library) {
  const auto open = SharedLibrary::try_open(library, SharedLibrary::Lifetime::kWhileOwned);
  return open ? " from " + open->path().string() : "";
}

Finding driver_finding() {
  const DriverState& state = driver_state();
  if (!state.reason.empty()) return {"driver", false, state.reason + origin("libcuda.so.1")};
  return {"driver", true, fmt::format("for CUDA {}{}", state.version, origin("libcuda.so.1"))};
}

Finding toolkit_finding() {
  std::vector<std::string> looked;
  std::error_code ignored;
  for (const fs::path& folder : toolkit_folders()) {
    if (fs::exists(folder / "include" / "cuda_fp16.h", ignored))
      return {"toolkit", true, folder.string()};
    looked.push_back(folder.string());
  }
  std::string text = "no headers in";
  for (const std::string& folder : looked) text += " " + folder;
  return {"toolkit", false,
          text + " (CUDA_HOME): kernels that include the toolkit's do not compile"};
}

Finding nvcc_finding() {
  const auto nvcc = find_nvcc();
  return nvcc ? Finding{"nvcc", true, nvcc->string()}
              : Finding{"nvcc", false, "not found: only kernels with `backend: nvcc` need it"};
}

Finding nvml_finding() {
  if (const std::string& reason = nvml_state().reason; !reason.empty())
    return {"NVML", false, reason};
  const Inventory found = inventory();
  if (!found.reason.empty()) return {"NVML", false, found.reason};
  std::size_t slices = 0;
  for (const KnownGpu& gpu : found.gpus) slices += gpu.slices.size();
  return {"NVML", true,
          fmt::format("driver {}, {} GPUs, {} MIG slices{}", found.driver, found.gpus.size(),
                      slices, origin("libnvidia-ml.so.1"))};
}

}  // namespace

std::vector<Finding> describe_tools() {
  const std::string nvrtc = nvrtc_description();
  std::string cupti;
  const bool has_cupti = describe_cupti(cupti);
  return {driver_finding(),
          {"NVRTC", nvrtc.find(" from ") != std::string::npos, nvrtc},
          toolkit_finding(),
          nvcc_finding(),
          nvml_finding(),
          {"CUPTI", has_cupti, cupti},
          counter_permission("/proc/driver/nvidia/params")};
}

}  // namespace kernelbatch::cuda
