// A fake libcuda.so.1: shows the machine of FAKE_GPUS with CUDA's device enumeration according to
// NVIDIA's MIG guide (section "CUDA device enumeration"), and runs nothing. Does not include
// cuda.h, whose types it uses as plain numbers.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "../fake_gpus/machine.hpp"

namespace {

constexpr int kSuccess = 0, kInvalidDevice = 101, kNoDevice = 100;

struct Shown {
  const fake::Gpu* gpu;
  const fake::Slice* slice;  ///< null = the whole GPU
};

bool may_see(const fake::Gpu& gpu) { return !gpu.is_mig || !gpu.slices.empty(); }

Shown shown(const fake::Gpu& gpu) { return {&gpu, gpu.is_mig ? &gpu.slices.front() : nullptr}; }

/// Devices denoted by a word of CUDA_VISIBLE_DEVICES; empty for a device that does not exist.
std::vector<Shown> named(const std::string& word) {
  const std::vector<fake::Gpu>& gpus = fake::machine();
  if (word.find_first_not_of("0123456789") == std::string::npos && !word.empty()) {
    const std::size_t index = std::stoul(word);
    if (index < gpus.size() && may_see(gpus[index])) return {shown(gpus[index])};
    return {};
  }
  for (const fake::Gpu& gpu : gpus) {
    if (word.size() > 4 && gpu.uuid.rfind(word, 0) == 0 && may_see(gpu)) return {shown(gpu)};
    for (const fake::Slice& slice : gpu.slices)
      if (slice.uuid == word || "MIG-" + gpu.uuid + "/" + std::to_string(slice.gpu_instance) + "/" +
                                        std::to_string(slice.compute_instance) ==
                                    word)
        return {{&gpu, &slice}};
  }
  return {};
}

std::vector<Shown> enumerate() {
  std::vector<Shown> found;
  const char* mask = std::getenv("CUDA_VISIBLE_DEVICES");
  if (mask == nullptr) {
    for (const fake::Gpu& gpu : fake::machine())
      if (may_see(gpu)) found.push_back(shown(gpu));
  } else {
    const std::string words = mask;
    for (std::size_t begin = 0; begin <= words.size();) {
      const std::size_t end = std::min(words.find(',', begin), words.size());
      const std::vector<Shown> devices = named(words.substr(begin, end - begin));
      if (devices.empty()) break;  // the rest of the list is ignored
      found.push_back(devices.front());
      begin = end + 1;
    }
  }
  // Only one slice, and no other device.
  for (const Shown& each : found)
    if (each.slice != nullptr) return {each};
  return found;
}

/// The state at cuInit(): later changes of the variable have no effect.
const std::vector<Shown>& devices() {
  static const std::vector<Shown> all = enumerate();
  return all;
}

const Shown* at(int device) {
  return device >= 0 && device < static_cast<int>(devices().size())
             ? &devices()[static_cast<std::size_t>(device)]
             : nullptr;
}

int copy(const std::string& from, char* to, int length) {
  std::strncpy(to, from.c_str(), static_cast<std::size_t>(length) - 1);
  return kSuccess;
}

}  // namespace

extern "C" {

int cuInit(unsigned) { return devices().empty() ? kNoDevice : kSuccess; }
int cuDriverGetVersion(int* version) {
  *version = 13000;
  return kSuccess;
}
int cuStreamCreate(void** stream, unsigned) {
  static std::uintptr_t last = 0;
  *stream = reinterpret_cast<void*>(++last);
  return kSuccess;
}
int cuStreamDestroy_v2(void*) { return kSuccess; }
int cuDeviceGetCount(int* count) {
  *count = static_cast<int>(devices().size());
  return kSuccess;
}
int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return at(ordinal) != nullptr ? kSuccess : kInvalidDevice;
}
int cuDeviceGetName(char* text, int length, int device) {
  const Shown& shown = *at(device);
  return copy(shown.gpu->name + (shown.slice != nullptr ? " MIG " + shown.slice->profile : ""),
              text, length);
}
int cuDeviceGetUuid_v2(unsigned char* bytes, int device) {
  const Shown& shown = *at(device);
  const std::string& uuid = shown.slice != nullptr ? shown.slice->uuid : shown.gpu->uuid;
  std::string digits;
  for (const char c : uuid.substr(4))
    if (c != '-') digits += c;
  for (std::size_t k = 0; k < 16; ++k)
    bytes[k] = static_cast<unsigned char>(std::stoul(digits.substr(2 * k, 2), nullptr, 16));
  return kSuccess;
}
int cuDeviceGetAttribute(int* value, int attribute, int device) {
  const Shown& shown = *at(device);
  constexpr int kWarpSize = 10, kMultiprocessors = 16, kMajor = 75, kMinor = 76, kThreads = 1;
  *value = attribute == kMultiprocessors
               ? static_cast<int>(shown.slice != nullptr ? shown.slice->multiprocessors : 132)
           : attribute == kMajor    ? 9
           : attribute == kMinor    ? 0
           : attribute == kWarpSize ? 32
           : attribute == kThreads  ? 1024
                                    : 1 << 16;
  return kSuccess;
}
int cuDeviceGetPCIBusId(char* text, int length, int device) {
  return copy(at(device)->gpu->pci, text, length);
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
  const Shown& shown = *at(device);
  *bytes = static_cast<std::size_t>(shown.slice != nullptr ? shown.slice->memory_mib : 81079) << 20;
  return kSuccess;
}
// The first device has a fake context.
int cuCtxGetDevice(int* device) {
  *device = 0;
  return kSuccess;
}
int cuCtxGetCurrent(const void** context) {
  *context = &devices();
  return kSuccess;
}
int cuGetErrorString(int, const char** text) {
  *text = "this driver runs nothing";
  return kSuccess;
}
}
