// NVML's functions, opened at run time. Its interface is declared here, as far as it is used: the
// library comes with the driver, its header not with every toolkit.
#pragma once

#include <string>

namespace kernelbatch::cuda {

struct NvmlDevice;  // opaque
using NvmlResult = int;
constexpr NvmlResult kNvmlSuccess = 0;

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

struct Nvml {
  NvmlResult (*init)() = nullptr;
  const char* (*error_text)(NvmlResult) = nullptr;
  NvmlResult (*by_uuid)(const char*, NvmlDevice**) = nullptr;
  NvmlResult (*by_pci)(const char*, NvmlDevice**) = nullptr;
  NvmlResult (*is_slice)(NvmlDevice*, unsigned*) = nullptr;
  NvmlResult (*parent)(NvmlDevice*, NvmlDevice**) = nullptr;
  NvmlResult (*clock)(NvmlDevice*, int, unsigned*) = nullptr;
  NvmlResult (*power)(NvmlDevice*, unsigned*) = nullptr;
  NvmlResult (*energy)(NvmlDevice*, unsigned long long*) = nullptr;
  NvmlResult (*temperature)(NvmlDevice*, int, unsigned*) = nullptr;
  NvmlResult (*reasons)(NvmlDevice*, unsigned long long*) = nullptr;
};

/// What was found of NVML; functions that the library lacks are null. `reason` is empty where it
/// works.
struct NvmlState {
  Nvml functions;
  std::string reason;
};

/// Opens and initialises it on the first call. Never throws.
const NvmlState& nvml_state();

}  // namespace kernelbatch::cuda
