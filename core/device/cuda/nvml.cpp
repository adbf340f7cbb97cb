#include "core/device/cuda/nvml.hpp"

#include <fmt/format.h>

#include <optional>

#include "core/base/shared_library.hpp"

namespace kernelbatch::cuda {
namespace {

template <class Function>
void find(const SharedLibrary& library, Function*& function,
          std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (function == nullptr) function = reinterpret_cast<Function*>(library.find(name));
}

NvmlState open_nvml() {
  NvmlState state;
  std::string reason;
  const std::optional<SharedLibrary> library =
      SharedLibrary::try_open("libnvidia-ml.so.1", SharedLibrary::Lifetime::kProcess, &reason);
  if (!library) {
    state.reason = fmt::format("NVML cannot be opened ({})", reason);
    return state;
  }
  Nvml& f = state.functions;
  find(*library, f.init, {"nvmlInit_v2"});
  find(*library, f.error_text, {"nvmlErrorString"});
  find(*library, f.by_uuid, {"nvmlDeviceGetHandleByUUID"});
  find(*library, f.by_pci, {"nvmlDeviceGetHandleByPciBusId_v2"});
  find(*library, f.is_slice, {"nvmlDeviceIsMigDeviceHandle"});
  find(*library, f.parent, {"nvmlDeviceGetDeviceHandleFromMigDeviceHandle"});
  find(*library, f.driver_version, {"nvmlSystemGetDriverVersion"});
  find(*library, f.count, {"nvmlDeviceGetCount_v2"});
  find(*library, f.by_index, {"nvmlDeviceGetHandleByIndex_v2"});
  find(*library, f.name, {"nvmlDeviceGetName"});
  find(*library, f.uuid, {"nvmlDeviceGetUUID"});
  find(*library, f.ecc_mode, {"nvmlDeviceGetEccMode"});
  find(*library, f.mig_mode, {"nvmlDeviceGetMigMode"});
  find(*library, f.slice_places, {"nvmlDeviceGetMaxMigDeviceCount"});
  find(*library, f.slice_by_place, {"nvmlDeviceGetMigDeviceHandleByIndex"});
  find(*library, f.gpu_instance, {"nvmlDeviceGetGpuInstanceId"});
  find(*library, f.compute_instance, {"nvmlDeviceGetComputeInstanceId"});
  find(*library, f.attributes, {"nvmlDeviceGetAttributes_v2"});
  find(*library, f.clock, {"nvmlDeviceGetClockInfo"});
  find(*library, f.power, {"nvmlDeviceGetPowerUsage"});
  find(*library, f.energy, {"nvmlDeviceGetTotalEnergyConsumption"});
  find(*library, f.temperature, {"nvmlDeviceGetTemperature"});
  // Renamed in 2023: old drivers have only the old name, and new ones may drop it.
  find(*library, f.reasons,
       {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
  if (f.init == nullptr || f.error_text == nullptr || f.by_uuid == nullptr) {
    state.reason = "libnvidia-ml.so.1 is not a usable NVML";
    return state;
  }
  const NvmlResult result = f.init();
  if (result != kNvmlSuccess)
    state.reason = fmt::format("NVML does not start ({})", f.error_text(result));
  return state;
}

}  // namespace

const NvmlState& nvml_state() {
  // One library per process; repeated calls would give the same result.
  static const NvmlState state = open_nvml();
  return state;
}

}  // namespace kernelbatch::cuda
