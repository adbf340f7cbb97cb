#include "core/device/cuda/capture/modules.hpp"

#include <algorithm>

namespace kernelbatch::capture {
namespace {

thread_local std::vector<std::uint64_t> loaded_in_call;

}  // namespace

void Modules::add(const CUpti_ModuleResourceData& module) {
  if (module.pCubin == nullptr) return;
  const std::uint64_t number =
      images_.add({module.pCubin, module.cubinSize},
                  [&](const std::string& kernel) { return selection_.matches(kernel); });
  if (number != 0) loaded_in_call.push_back(number);
}

void Modules::begin_call() { loaded_in_call.clear(); }

void Modules::end_call(CUmodule module) {
  if (loaded_in_call.size() != 1) return;
  const std::lock_guard lock(mutex_);
  image_of_module_[module] = loaded_in_call.front();
}

Modules::Found Modules::find(CUfunction function, const std::string& kernel) {
  begin_call();
  CUmodule module = nullptr;
  cuda_.cuFuncGetModule_(&module, function_in_context(cuda_, function));
  end_call(module);
  const auto candidates = images_.with_kernel(kernel);
  Found found{.image = candidates.empty() ? nullptr : candidates.back(),
              .candidates = candidates.size()};
  {
    const std::lock_guard lock(mutex_);
    const auto known = image_of_module_.find(module);
    const auto same = std::ranges::find_if(candidates, [&](const auto& image) {
      return known != image_of_module_.end() && image->number == known->second;
    });
    if (same != candidates.end()) found = {.image = *same, .candidates = 1};
  }
  found.ptx = ptx_.find(module, library_of(function), kernel, capability());
  if (found.image) found.variables = variables_in(module, found.image->bytes);
  return found;
}

const void* Modules::library_of(CUfunction function) const {
  CUlibrary library = nullptr;
  if (cuda_.cuKernelGetLibrary_ != nullptr)
    cuda_.cuKernelGetLibrary_(&library, reinterpret_cast<CUkernel>(function));
  return library;
}

unsigned Modules::capability() const {
  CUdevice device = 0;
  int major = 0, minor = 0;
  cuda_.cuCtxGetDevice_(&device);
  cuda_.cuDeviceGetAttribute_(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  cuda_.cuDeviceGetAttribute_(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  return static_cast<unsigned>(10 * major + minor);
}

std::vector<Variable> Modules::variables_in(CUmodule module, std::string_view image) const {
  std::vector<Variable> variables;
  for (ImageVariable& each : variables_of(image)) {
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    if (cuda_.cuModuleGetGlobal_(&address, &bytes, module, each.name.c_str()) == CUDA_SUCCESS)
      variables.push_back({.name = each.name,
                           .block = {.range = {address, bytes}},
                           .initial = std::move(each.initial)});
  }
  return variables;
}

}  // namespace kernelbatch::capture
