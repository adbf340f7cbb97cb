#include "core/device/cuda/cupti/cupti_profiler.hpp"

#include <fmt/format.h>

#include "core/device/cuda/cupti/cupti_library.hpp"
#include "core/device/cuda/toolkit.hpp"

namespace kernelbatch::cuda {

#if KERNELBATCH_HAS_RANGE_PROFILER

namespace {

constexpr const char* kNotPermitted =
    "hardware counters are not permitted here: an administrator must load the driver with "
    "NVreg_RestrictProfilingToAdminUsers=0 (options nvidia NVreg_RestrictProfilingToAdminUsers=0 "
    "in /etc/modprobe.d), or give this process CAP_SYS_ADMIN";
constexpr const char* kNotPermittedByHost =
    "hardware counters are not permitted on this virtual GPU: the administrator of its host must "
    "enable profiling for it";
constexpr const char* kNotOnSlice =
    "CUPTI counts nothing on this MIG slice: an administrator must give it a GPU instance of its "
    "own, whose only compute instance it is";

struct OpenedProfiler {
  ProfilerFunctions functions;
  std::string reason;  ///< empty if all are present
};

OpenedProfiler open_profiler() {
  OpenedProfiler opened;
  const CuptiLibrary& library = cupti_library();
  opened.reason = library.reason;
  if (!opened.reason.empty()) return opened;
  std::string lack;
#define KERNELBATCH_CUPTI_FIND(name) library.find(opened.functions.name##_, #name, lack);
  KERNELBATCH_CUPTI_PROFILER_FUNCTIONS(KERNELBATCH_CUPTI_FIND)
#undef KERNELBATCH_CUPTI_FIND
  // CUPTI opens this library by its plain name: load the one installed with it, wherever that is.
  if (const auto host = find_library_file("libnvperf_host.so", library.path))
    SharedLibrary::try_open(host->string(), SharedLibrary::Lifetime::kProcess);
  if (!lack.empty()) opened.reason = lack + ": counters need the CUPTI of CUDA 12.6 or newer";
  return opened;
}

std::string text_of(CUptiResult result) {
  const char* text = nullptr;
  profiler_functions().cuptiGetResultString_(result, &text);
  return text != nullptr ? text : fmt::format("error {}", static_cast<int>(result));
}

}  // namespace

const ProfilerFunctions& profiler_functions() {
  static const OpenedProfiler opened = open_profiler();
  if (!opened.reason.empty()) throw CounterRefusal(opened.reason);
  return opened.functions;
}

void check_counters(CUptiResult result, const char* call) {
  switch (result) {
    case CUPTI_SUCCESS:
      return;
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
      throw CounterRefusal(kNotPermitted);
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      throw CounterRefusal(kNotPermittedByHost);
    case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
      throw CounterRefusal(kNotOnSlice);
    case CUPTI_ERROR_HARDWARE_BUSY:
      throw CounterRefusal("another process has the hardware counters of this device");
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      throw CounterRefusal("another tool that this process runs under has CUPTI");
    default:
      throw CounterRefusal(fmt::format("{} fails ({})", call, text_of(result)));
  }
}

void check_support(CUdevice device) {
  KERNELBATCH_CUPTI_PARAMETERS(CUpti_Profiler_DeviceSupported_Params, asked);
  asked.cuDevice = device;
  asked.api = CUPTI_PROFILER_RANGE_PROFILING;
  check_counters(profiler_functions().cuptiProfilerDeviceSupported_(&asked),
                 "cuptiProfilerDeviceSupported");
  const auto is_against = [](CUpti_Profiler_Support_Level level) {
    return level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED ||
           level == CUPTI_PROFILER_CONFIGURATION_DISABLED;
  };
  if (!is_against(asked.isSupported)) return;
  if (asked.vGpu == CUPTI_PROFILER_CONFIGURATION_DISABLED)
    throw CounterRefusal(kNotPermittedByHost);
  const auto refuse_where = [&](CUpti_Profiler_Support_Level level, const char* what) {
    if (is_against(level)) throw CounterRefusal(fmt::format("CUPTI counts nothing on {}", what));
  };
  refuse_where(asked.architecture, "GPUs before compute capability 7.5");
  refuse_where(asked.vGpu, "this virtual GPU");
  refuse_where(asked.confidentialCompute, "a GPU in confidential computing mode");
  refuse_where(asked.cmp, "a mining processor (CMP)");
  refuse_where(asked.wsl, "this Windows Subsystem for Linux");
  refuse_where(asked.sli, "GPUs that are joined by SLI");
  throw CounterRefusal("CUPTI cannot count on this device and gives no reason");
}

#endif

}  // namespace kernelbatch::cuda
