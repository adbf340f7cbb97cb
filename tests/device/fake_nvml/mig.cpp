// The part of the fake NVML for slices: handles are the addresses of the machine's GPUs and slices.
// Results and errors follow NVML's API reference.
#include <cstring>

#include "../fake_gpus/machine.hpp"

namespace {

enum Result : int {
  kSuccess = 0,
  kInvalidArgument = 2,
  kNotSupported = 3,
  kNoPermission = 4,
  kNotFound = 6,
  kInsufficientSize = 7
};

const fake::Gpu* gpu_of(const void* handle) {
  for (const fake::Gpu& gpu : fake::machine())
    if (&gpu == handle) return &gpu;
  return nullptr;
}

const fake::Slice* slice_of(const void* handle, const fake::Gpu** parent = nullptr) {
  for (const fake::Gpu& gpu : fake::machine())
    for (const fake::Slice& slice : gpu.slices)
      if (&slice == handle) {
        if (parent != nullptr) *parent = &gpu;
        return &slice;
      }
  return nullptr;
}

int copy(const std::string& from, char* to, unsigned length) {
  if (from.size() + 1 > length) return kInsufficientSize;
  std::memcpy(to, from.c_str(), from.size() + 1);
  return kSuccess;
}

struct Attributes {
  unsigned multiprocessors, copy_engines, decoders, encoders, jpegs, ofas, gpu_slices,
      compute_slices;
  unsigned long long memory_mib;
};

}  // namespace

extern "C" {

int nvmlSystemGetDriverVersion(char* text, unsigned length) {
  return copy("580.65.06", text, length);
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = static_cast<unsigned>(fake::machine().size());
  return kSuccess;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, const void** device) {
  if (index >= fake::machine().size()) return kInvalidArgument;
  *device = &fake::machine()[index];
  return kSuccess;
}

int nvmlDeviceGetName(const void* device, char* text, unsigned length) {
  if (const fake::Gpu* gpu = gpu_of(device)) return copy(gpu->name, text, length);
  const fake::Gpu* parent = nullptr;
  const fake::Slice* slice = slice_of(device, &parent);
  return slice == nullptr ? kInvalidArgument
                          : copy(parent->name + " MIG " + slice->profile, text, length);
}

int nvmlDeviceGetUUID(const void* device, char* text, unsigned length) {
  if (const fake::Gpu* gpu = gpu_of(device)) return copy(gpu->uuid, text, length);
  const fake::Slice* slice = slice_of(device);
  return slice == nullptr ? kInvalidArgument : copy(slice->uuid, text, length);
}

int nvmlDeviceGetEccMode(const void* device, int* current, int* pending) {
  if (gpu_of(device) == nullptr) return kNotSupported;  // not supported for slices
  *current = *pending = 1;
  return kSuccess;
}

int nvmlDeviceGetMigMode(const void* device, unsigned* current, unsigned* pending) {
  const fake::Gpu* gpu = gpu_of(device);
  if (gpu == nullptr || !gpu->can_mig) return kNotSupported;
  *current = *pending = gpu->is_mig ? 1 : 0;
  return kSuccess;
}

int nvmlDeviceGetMaxMigDeviceCount(const void* device, unsigned* count) {
  if (gpu_of(device) == nullptr) return kNotSupported;
  *count = 8;
  return kSuccess;
}

int nvmlDeviceGetMigDeviceHandleByIndex(const void* device, unsigned place, const void** slice) {
  const fake::Gpu* gpu = gpu_of(device);
  if (gpu == nullptr || !gpu->is_mig) return kNotSupported;
  if (place >= 8) return kInvalidArgument;
  if (fake::is_set("refused")) return kNoPermission;
  for (const fake::Slice& each : gpu->slices)
    if (each.place == place) {
      *slice = &each;
      return kSuccess;
    }
  return kNotFound;
}

int nvmlDeviceGetGpuInstanceId(const void* device, unsigned* id) {
  const fake::Slice* slice = slice_of(device);
  if (slice == nullptr) return kNotSupported;
  *id = slice->gpu_instance;
  return kSuccess;
}

int nvmlDeviceGetComputeInstanceId(const void* device, unsigned* id) {
  const fake::Slice* slice = slice_of(device);
  if (slice == nullptr) return kNotSupported;
  *id = slice->compute_instance;
  return kSuccess;
}

int nvmlDeviceGetAttributes_v2(const void* device, Attributes* attributes) {
  const fake::Slice* slice = slice_of(device);
  if (slice == nullptr) return kNotSupported;
  *attributes = {slice->multiprocessors, 1, 0, 0, 0, 0, 1, 1, slice->memory_mib};
  return kSuccess;
}
}
