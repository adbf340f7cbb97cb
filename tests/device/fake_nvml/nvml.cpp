// A fake libnvidia-ml.so.1: one GPU, whose state is selected by the variable FAKE_NVML.
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

enum Result : int { kSuccess = 0, kNotSupported = 3, kNoPermission = 4, kNotFound = 6 };

bool is_set(std::string_view word) {
  const char* text = std::getenv("FAKE_NVML");
  return text != nullptr && std::string_view(text).find(word) != std::string_view::npos;
}

int whole_gpu = 0, slice = 0;

}  // namespace

extern "C" {

int nvmlInit_v2() { return kSuccess; }

const char* nvmlErrorString(int result) {
  switch (result) {
    case kNotSupported:
      return "Not Supported";
    case kNoPermission:
      return "Insufficient Permissions";
    case kNotFound:
      return "Not Found";
    default:
      return "Success";
  }
}

int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  if (std::strcmp(uuid, "MIG-1") == 0) {
    *device = &slice;
    return kSuccess;
  }
  if (std::strcmp(uuid, "GPU-1") != 0) return kNotFound;
  *device = &whole_gpu;
  return kSuccess;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** device) {
  if (std::strcmp(bus, "0000:01:00.0") != 0) return kNotFound;
  *device = &whole_gpu;
  return kSuccess;
}

int nvmlDeviceIsMigDeviceHandle(void* device, unsigned* is_slice) {
  *is_slice = device == &slice ? 1 : 0;
  return kSuccess;
}

int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(void*, void** device) {
  *device = &whole_gpu;
  return kSuccess;
}

int nvmlDeviceGetClockInfo(void* device, int type, unsigned* megahertz) {
  if (device != &whole_gpu || type != 1) return kNotSupported;
  *megahertz = 1755;
  return kSuccess;
}

int nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts) {
  if (is_set("no_power")) return kNoPermission;
  if (device != &whole_gpu) return kNotSupported;
  *milliwatts = 412500;
  return kSuccess;
}

int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* millijoules) {
  if (is_set("no_energy")) return kNotSupported;
  *millijoules = 7500;
  return kSuccess;
}

int nvmlDeviceGetTemperature(void*, int sensor, unsigned* celsius) {
  if (sensor != 0) return kNotSupported;
  *celsius = 41;
  return kSuccess;
}

// Only under its old name, as in drivers of 2022.
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  *reasons = is_set("hot") ? 0x20 : is_set("brake") ? 0x80 : is_set("capped") ? 0x4 : 0x1;
  return kSuccess;
}
}
