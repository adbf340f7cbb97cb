#include "core/device/cuda/capture/loaded_cuda.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>

namespace kernelbatch::capture {
namespace {

void* open_cupti(const std::string& given) {
  // A second copy in one process would conflict with the program's own.
  for (const char* name : {"libcupti.so.13", "libcupti.so.12"})
    if (void* const loaded = ::dlopen(name, RTLD_NOW | RTLD_NOLOAD)) return loaded;
  if (!given.empty())
    if (void* const opened = ::dlopen(given.c_str(), RTLD_NOW | RTLD_LOCAL)) return opened;
  for (const char* name : {"libcupti.so.13", "libcupti.so.12"})
    if (void* const opened = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) return opened;
  return nullptr;
}

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

}  // namespace

#define KERNELBATCH_CAPTURE_TEXT_(name) #name
#define KERNELBATCH_CAPTURE_TEXT(name) KERNELBATCH_CAPTURE_TEXT_(name)

std::string load(LoadedCuda& cuda, const std::string& cupti) {
  void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) return "the driver is not loaded";
#define KERNELBATCH_CAPTURE_FIND(name)                             \
  if (!find(driver, KERNELBATCH_CAPTURE_TEXT(name), cuda.name##_)) \
    return "the driver lacks " KERNELBATCH_CAPTURE_TEXT(name);
  KERNELBATCH_CAPTURE_DRIVER(KERNELBATCH_CAPTURE_FIND)
#undef KERNELBATCH_CAPTURE_FIND
#define KERNELBATCH_CAPTURE_FIND(name) find(driver, KERNELBATCH_CAPTURE_TEXT(name), cuda.name##_);
  KERNELBATCH_CAPTURE_OPTIONAL(KERNELBATCH_CAPTURE_FIND)
#undef KERNELBATCH_CAPTURE_FIND
  void* const library = open_cupti(cupti);
  if (library == nullptr) return "CUPTI is not there (libcupti.so)";
#define KERNELBATCH_CAPTURE_FIND(name)                              \
  if (!find(library, KERNELBATCH_CAPTURE_TEXT(name), cuda.name##_)) \
    return "CUPTI lacks " KERNELBATCH_CAPTURE_TEXT(name);
  KERNELBATCH_CAPTURE_CUPTI(KERNELBATCH_CAPTURE_FIND)
#undef KERNELBATCH_CAPTURE_FIND
  Dl_info info{};
  if (::dladdr(reinterpret_cast<void*>(cuda.cuptiSubscribe_), &info) != 0 &&
      info.dli_fname != nullptr)
    cuda.cupti_path = info.dli_fname;
  return "";
}

CUfunction function_in_context(const LoadedCuda& cuda, CUfunction function) {
  int ignored = 0;
  CUfunction in_context = function;
  if (cuda.cuFuncGetAttribute_(&ignored, CU_FUNC_ATTRIBUTE_NUM_REGS, function) != CUDA_SUCCESS &&
      cuda.cuKernelGetFunction_(&in_context, reinterpret_cast<CUkernel>(function)) == CUDA_SUCCESS)
    cuda.cuFuncGetAttribute_(&ignored, CU_FUNC_ATTRIBUTE_NUM_REGS, in_context);
  return in_context;
}

std::vector<ParameterPlace> parameters_of(const LoadedCuda& cuda, CUfunction function) {
  std::vector<ParameterPlace> places;
  ParameterPlace place;
  while (cuda.cuFuncGetParamInfo_(function, places.size(), &place.offset, &place.size) ==
         CUDA_SUCCESS)
    places.push_back(place);
  if (!places.empty()) return places;
  // The runtime API launches kernels of libraries by their own handles.
  CUkernel const kernel = reinterpret_cast<CUkernel>(function);
  while (cuda.cuKernelGetParamInfo_(kernel, places.size(), &place.offset, &place.size) ==
         CUDA_SUCCESS)
    places.push_back(place);
  return places;
}

std::vector<std::byte> parameter_bytes(const std::vector<ParameterPlace>& places,
                                       void* const* pointers, void* const* extra) {
  std::size_t size = 0;
  for (const ParameterPlace& place : places) size = std::max(size, place.offset + place.size);
  std::vector<std::byte> bytes(size);
  if (pointers != nullptr) {
    for (std::size_t k = 0; k < places.size(); ++k)
      std::memcpy(bytes.data() + places[k].offset, pointers[k], places[k].size);
    return bytes;
  }
  const void* buffer = nullptr;
  std::size_t given = 0;
  for (; extra != nullptr && *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = extra[1];
    if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) std::memcpy(&given, extra[1], sizeof given);
  }
  if (buffer != nullptr) std::memcpy(bytes.data(), buffer, std::min(size, given));
  return bytes;
}

std::string name_of(const LoadedCuda& cuda, CUfunction function) {
  const char* name = nullptr;
  if (cuda.cuFuncGetName_(&name, function) != CUDA_SUCCESS &&
      cuda.cuKernelGetName_(&name, reinterpret_cast<CUkernel>(function)) != CUDA_SUCCESS)
    return "";
  return name == nullptr ? "" : name;
}

std::string device_of(const LoadedCuda& cuda) {
  CUdevice device = 0;
  char name[128] = {};
  int major = 0, minor = 0;
  if (cuda.cuCtxGetDevice_(&device) != CUDA_SUCCESS) return "";
  cuda.cuDeviceGetName_(name, sizeof name, device);
  cuda.cuDeviceGetAttribute_(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  cuda.cuDeviceGetAttribute_(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  return std::string(name) + " (sm_" + std::to_string(major) + std::to_string(minor) + ")";
}

}  // namespace kernelbatch::capture
