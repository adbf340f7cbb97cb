#include "core/device/cuda/cuda_launch.hpp"

#include <fmt/format.h>

#include <array>

#include "core/base/error.hpp"

namespace kernelbatch::cuda {
namespace {

/// Shared memory that needs no raised limit.
constexpr std::size_t kPlainSharedBytes = 48 * 1024;

std::vector<std::size_t> parameter_sizes_of(CUfunction function) {
  std::vector<std::size_t> sizes;
  for (std::size_t k = 0;; ++k) {
    std::size_t offset = 0;
    std::size_t size = 0;
    if (driver().cuFuncGetParamInfo_(function, k, &offset, &size) != CUDA_SUCCESS) return sizes;
    sizes.push_back(size);
  }
}

class CudaKernel final : public Kernel {
 public:
  CudaKernel(CUfunction function, std::string name, const DeviceProperties& properties)
      : function_(function),
        name_(std::move(name)),
        properties_(properties),
        sizes_(parameter_sizes_of(function)) {}

  void launch(const LaunchShape& shape, std::span<void* const> arguments, Stream& stream) override {
    if (shape.shared_bytes > raised_shared_bytes_) raise_shared_limit(shape.shared_bytes);
    CUlaunchAttribute attribute{};
    attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attribute.value.cooperative = 1;
    CUlaunchConfig config{};
    config.gridDimX = shape.grid.x;
    config.gridDimY = shape.grid.y;
    config.gridDimZ = shape.grid.z;
    config.blockDimX = shape.block.x;
    config.blockDimY = shape.block.y;
    config.blockDimZ = shape.block.z;
    config.sharedMemBytes = static_cast<unsigned>(shape.shared_bytes);
    config.hStream = static_cast<CudaStream&>(stream).handle();
    config.attrs = &attribute;
    config.numAttrs = shape.cooperative ? 1 : 0;
    const CUresult result = driver().cuLaunchKernelEx_(
        &config, function_, const_cast<void**>(arguments.data()), nullptr);
    if (result != CUDA_SUCCESS) fail(result, shape);
  }

  std::span<const std::size_t> parameter_sizes() const override { return sizes_; }

  KernelAttributes attributes(int block_threads, std::size_t shared_bytes) const override {
    KernelAttributes a;
    a.registers = attribute(CU_FUNC_ATTRIBUTE_NUM_REGS);
    a.shared_static = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
    a.local_bytes = attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
    a.const_bytes = attribute(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
    a.max_threads = attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    check(driver().cuOccupancyMaxActiveBlocksPerMultiprocessor_(&a.blocks_per_unit, function_,
                                                                block_threads, shared_bytes),
          "cuOccupancyMaxActiveBlocksPerMultiprocessor");
    return a;
  }

 private:
  int attribute(CUfunction_attribute which) const {
    int value = 0;
    check(driver().cuFuncGetAttribute_(&value, which, function_), "cuFuncGetAttribute");
    return value;
  }

  void raise_shared_limit(std::size_t bytes) {
    if (bytes > properties_.shared_per_block_optin)
      throw RunError(
          fmt::format("kernel '{}' asks for {} bytes of dynamic shared memory; a block "
                      "of this device can have {}",
                      name_, bytes, properties_.shared_per_block_optin));
    check(driver().cuFuncSetAttribute_(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                       static_cast<int>(bytes)),
          fmt::format("raising the shared memory of '{}' to {} bytes", name_, bytes));
    raised_shared_bytes_ = bytes;
  }

  [[noreturn]] void fail(CUresult result, const LaunchShape& shape) const {
    check(result, fmt::format("launch of '{}' with grid ({}, {}, {}), block ({}, {}, {}), {} bytes "
                              "of shared memory",
                              name_, shape.grid.x, shape.grid.y, shape.grid.z, shape.block.x,
                              shape.block.y, shape.block.z, shape.shared_bytes));
    throw RunError("unreachable");
  }

  CUfunction function_;
  std::string name_;
  const DeviceProperties& properties_;
  std::vector<std::size_t> sizes_;
  std::size_t raised_shared_bytes_ = kPlainSharedBytes;
};

class CudaModule final : public Module {
 public:
  CudaModule(ModuleHandle handle, std::map<std::string, std::string> symbols,
             const DeviceProperties& properties)
      : handle_(std::move(handle)), symbols_(std::move(symbols)), properties_(properties) {}

  std::unique_ptr<Kernel> kernel(const std::string& entry) override {
    const auto found = symbols_.find(entry);
    const std::string& symbol = found != symbols_.end() ? found->second : entry;
    CUfunction function = nullptr;
    const CUresult result = driver().cuModuleGetFunction_(&function, handle_.get(), symbol.c_str());
    if (result == CUDA_ERROR_NOT_FOUND)
      throw SpecError(fmt::format("the compiled code has no kernel named '{}'", entry));
    check(result, fmt::format("looking up kernel '{}'", entry));
    return std::make_unique<CudaKernel>(function, entry, properties_);
  }

  std::span<std::byte> global(const std::string& name) override {
    const auto found = symbols_.find(name);
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    const CUresult result =
        driver().cuModuleGetGlobal_(&address, &bytes, handle_.get(),
                                    found != symbols_.end() ? found->second.c_str() : name.c_str());
    if (result == CUDA_ERROR_NOT_FOUND)
      throw SpecError(fmt::format("the compiled code has no global variable named '{}'", name));
    check(result, fmt::format("looking up variable '{}'", name));
    return {reinterpret_cast<std::byte*>(address), bytes};
  }

 private:
  ModuleHandle handle_;
  std::map<std::string, std::string> symbols_;
  const DeviceProperties& properties_;
};

}  // namespace

std::unique_ptr<Module> load_module(const Image& image, const DeviceProperties& properties) {
  std::array<char, 4096> log{};
  std::array<CUjit_option, 2> options{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size())};
  CUmodule module = nullptr;
  const CUresult result = driver().cuModuleLoadDataEx_(&module, image.bytes.data(),
                                                       static_cast<unsigned>(options.size()),
                                                       options.data(), values.data());
  check(result, fmt::format("loading compiled code for {}{}{}", image.target,
                            log[0] != '\0' ? ": " : "", log.data()));
  return std::make_unique<CudaModule>(ModuleHandle{module}, image.symbols, properties);
}

}  // namespace kernelbatch::cuda
