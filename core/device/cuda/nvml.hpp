// NVML's functions, opened at run time. The interface used is declared here: the library comes with
// the driver, but not every toolkit has its header.
#pragma once

#include <string>

namespace kernelbatch::cuda {

struct NvmlDevice;  // opaque
using NvmlResult = int;
constexpr NvmlResult kNvmlSuccess = 0, kNvmlNotSupported = 3, kNvmlNotFound = 6;

/// nvmlClockType_t, nvmlTemperatureSensors_t.
constexpr int kNvmlClockSm = 1;
constexpr int kNvmlTemperatureGpu = 0;

/// Bits of nvmlDeviceGetCurrentClocksEventReasons.
enum NvmlReason : unsigned long long {
  kNvmlSwPowerCap = 0x4,
  kNvmlHwSlowdown = 0x8,
  kNvmlSwThermal = 0x20,
  kNvmlHwThermal = 0x40,
  kNvmlHwPowerBrake = 0x80,
};

/// nvmlDeviceAttributes_t as nvmlDeviceGetAttributes_v2 fills it.
struct NvmlAttributes {
  unsigned multiprocessors = 0, copy_engines = 0, decoders = 0, encoders = 0, jpegs = 0, ofas = 0;
  unsigned gpu_slices = 0, compute_slices = 0;
  unsigned long long memory_mib = 0;
};

struct Nvml {
  NvmlResult (*init)() = nullptr;
  const char* (*error_text)(NvmlResult) = nullptr;
  NvmlResult (*by_uuid)(const char*, NvmlDevice**) = nullptr;
  NvmlResult (*by_pci)(const char*, NvmlDevice**) = nullptr;
  NvmlResult (*is_slice)(NvmlDevice*, unsigned*) = nullptr;
  NvmlResult (*parent)(NvmlDevice*, NvmlDevice**) = nullptr;
  NvmlResult (*driver_version)(char*, unsigned) = nullptr;
  NvmlResult (*count)(unsigned*) = nullptr;
  NvmlResult (*by_index)(unsigned, NvmlDevice**) = nullptr;
  NvmlResult (*name)(NvmlDevice*, char*, unsigned) = nullptr;
  NvmlResult (*uuid)(NvmlDevice*, char*, unsigned) = nullptr;
  NvmlResult (*ecc_mode)(NvmlDevice*, int*, int*) = nullptr;
  NvmlResult (*mig_mode)(NvmlDevice*, unsigned*, unsigned*) = nullptr;
  NvmlResult (*slice_places)(NvmlDevice*, unsigned*) = nullptr;
  NvmlResult (*slice_by_place)(NvmlDevice*, unsigned, NvmlDevice**) = nullptr;
  NvmlResult (*gpu_instance)(NvmlDevice*, unsigned*) = nullptr;
  NvmlResult (*compute_instance)(NvmlDevice*, unsigned*) = nullptr;
  NvmlResult (*attributes)(NvmlDevice*, NvmlAttributes*) = nullptr;
  NvmlResult (*clock)(NvmlDevice*, int, unsigned*) = nullptr;
  NvmlResult (*power)(NvmlDevice*, unsigned*) = nullptr;
  NvmlResult (*energy)(NvmlDevice*, unsigned long long*) = nullptr;
  NvmlResult (*temperature)(NvmlDevice*, int, unsigned*) = nullptr;
  NvmlResult (*reasons)(NvmlDevice*, unsigned long long*) = nullptr;
};

/// NVML as found; functions that the library lacks are null. `reason` is empty if it works.
struct NvmlState {
  Nvml functions;
  std::string reason;
};

/// Opens and initialises it on the first call. Never throws.
const NvmlState& nvml_state();

/// Calls a function that may be missing. Returns false, and sets `reason` if not null, if it fails.
template <class... Parameters, class... Arguments>
bool ask(const Nvml& nvml, NvmlResult (*function)(Parameters...), std::string* reason,
         Arguments... arguments) {
  if (function == nullptr) {
    if (reason != nullptr) *reason = "not in this driver";
    return false;
  }
  const NvmlResult result = function(arguments...);
  if (result != kNvmlSuccess && reason != nullptr) *reason = nvml.error_text(result);
  return result == kNvmlSuccess;
}

}  // namespace kernelbatch::cuda
