#include "core/device/cuda/cuda_module.hpp"

#include <fmt/format.h>

#include <array>

#include "core/base/error.hpp"
#include "core/device/cuda/check.hpp"
#include "core/device/cuda/code/machine_code.hpp"
#include "core/device/cuda/cuda_launch.hpp"
#include "core/device/symbol.hpp"

namespace kernelbatch::cuda {
namespace {

class CudaModule final : public Module {
 public:
  CudaModule(ModuleHandle handle, const Image& image, const DeviceProperties& properties,
             LaunchCalls& calls)
      : handle_(std::move(handle)), image_(image), properties_(properties), calls_(calls) {}

  std::unique_ptr<Kernel> kernel(const std::string& entry) override {
    const std::string& symbol = symbol_of(entry);
    CUfunction function = nullptr;
    const CUresult result = driver().cuModuleGetFunction_(&function, handle_.get(), symbol.c_str());
    if (result == CUDA_ERROR_NOT_FOUND)
      throw SpecError(fmt::format("the compiled code has no kernel named '{}'", entry));
    check(result, fmt::format("looking up kernel '{}'", entry));
    name_function(function, symbol);
    return make_kernel(function, entry, properties_, calls_);
  }

  std::optional<InstructionMix> instruction_mix(const std::string& entry) override {
    return cuda::instruction_mix(image_.bytes, symbol_of(entry), image_.target);
  }

  std::span<std::byte> global(const std::string& name) override {
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    const CUresult result =
        driver().cuModuleGetGlobal_(&address, &bytes, handle_.get(), variable_symbol(name).c_str());
    // The driver returns "invalid" for names of another kind, such as a kernel.
    if (result == CUDA_ERROR_NOT_FOUND || result == CUDA_ERROR_INVALID_VALUE)
      throw SpecError(fmt::format("the compiled code has no global variable named '{}'", name));
    check(result, fmt::format("looking up variable '{}'", name));
    return {reinterpret_cast<std::byte*>(address), bytes};
  }

 private:
  const std::string& symbol_of(const std::string& entry) const {
    const auto found = image_.symbols.find(entry);
    return found != image_.symbols.end() ? found->second : entry;
  }

  ModuleHandle handle_;
  Image image_;
  const DeviceProperties& properties_;
  LaunchCalls& calls_;
};

}  // namespace

std::unique_ptr<Module> load_module(const Image& image, const DeviceProperties& properties,
                                    LaunchCalls& calls) {
  std::array<char, 4096> log{};
  std::array<CUjit_option, 2> options{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size())};
  CUmodule module = nullptr;
  const CUresult result = driver().cuModuleLoadDataEx_(&module, image.bytes.data(),
                                                       static_cast<unsigned>(options.size()),
                                                       options.data(), values.data());
  check(result, fmt::format("loading compiled code for {}{}{}", image.target,
                            log[0] != '\0' ? ": " : "", log.data()));
  return std::make_unique<CudaModule>(ModuleHandle{module}, image, properties, calls);
}

}  // namespace kernelbatch::cuda
