#include "core/device/cuda/cuda_device.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/process.hpp"
#include "core/base/text.hpp"
#include "core/device/address_hint.hpp"
#include "core/device/cuda/compile/nvrtc_compiler.hpp"
#include "core/device/cuda/cuda_event.hpp"
#include "core/device/cuda/cuda_launch.hpp"
#include "core/device/cuda/cuda_launch_log.hpp"
#include "core/device/cuda/cuda_module.hpp"
#include "core/device/cuda/cuda_tensor_map.hpp"
#include "core/device/cuda/cuda_texture.hpp"
#include "core/device/cuda/green_context.hpp"
#include "core/device/cuda/placed_memory.hpp"
#include "core/device/cuda/primary_context.hpp"
#include "core/device/cuda/target.hpp"
#include "core/device/cuda/visible.hpp"
#include "core/device/tool_checks.hpp"

namespace kernelbatch::cuda {
namespace {

class CudaGraph final : public StreamGraph {
 public:
  CudaGraph(GraphHandle graph, GraphExecHandle handle, LaunchCalls& calls)
      : graph_(std::move(graph)), handle_(std::move(handle)), calls_(calls) {}
  void launch(Stream& stream) override {
    if (calls_.is_listing()) calls_.add(graph_.get());
    check(driver().cuGraphLaunch_(handle_.get(), static_cast<CudaStream&>(stream).handle()),
          "cuGraphLaunch");
  }

 private:
  GraphHandle graph_;  // what was captured, for lists of launches
  GraphExecHandle handle_;
  LaunchCalls& calls_;
};

class CudaDevice final : public Device, public LaunchSource {
 public:
  CudaDevice(int ordinal, DeviceProperties properties, const OpenMode& mode)
      : context_(ordinal,
                 [this](CUdevice device) {
                   if (AddressReservation::current().empty()) return;
                   early_ = std::make_unique<PlacedMemory>(device);
                   early_->reserve(AddressReservation::current());
                 }),
        placed_(std::move(early_)),
        properties_(std::move(properties)) {
    if (mode.units > 0 && mode.units < properties_.compute_units) {
      part_.emplace(context_.device(), mode.units);
      keep_units(properties_, part_->units());
    }
    if (mode.is_checked) checks_ = std::make_unique<ToolChecks>();
    CUmemoryPool pool = nullptr;
    check(driver().cuDeviceGetDefaultMemPool_(&pool, context_.device()),
          "cuDeviceGetDefaultMemPool");
    // Keep freed memory in the pool: the next case needs about the same amount.
    cuuint64_t keep = UINT64_MAX;
    check(driver().cuMemPoolSetAttribute_(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep),
          "cuMemPoolSetAttribute");
    memory_stream_ = std::make_unique<CudaStream>(*this, calls_, streams_);
  }

  const DeviceProperties& properties() const override { return properties_; }
  AccessChecks* access_checks() noexcept override { return checks_.get(); }

  std::size_t free_memory() const override {
    std::size_t free = 0;
    std::size_t total = 0;
    check(driver().cuMemGetInfo_(&free, &total), "cuMemGetInfo");
    return free;
  }

  void* allocate(std::size_t bytes) override {
    if (const std::uint64_t address = AddressHint::take(); address != 0) {
      if (!placed_) placed_ = std::make_unique<PlacedMemory>(context_.device());
      if (placed_->allocate(address, bytes)) return reinterpret_cast<void*>(address);
    }
    CUdeviceptr memory = 0;
    CUresult result = has_pool_
                          ? driver().cuMemAllocAsync_(&memory, bytes, memory_stream_->handle())
                          : driver().cuMemAlloc_(&memory, bytes);
    if (has_pool_ && result == CUDA_SUCCESS)
      result = driver().cuStreamSynchronize_(memory_stream_->handle());
    if (result == CUDA_ERROR_OUT_OF_MEMORY)
      throw OutOfMemoryError(fmt::format("{} cannot give {}: {} of {} are free", properties_.name,
                                         format_bytes(bytes), format_bytes(free_memory()),
                                         format_bytes(properties_.memory)));
    check(result, fmt::format("allocating {}", format_bytes(bytes)));
    return reinterpret_cast<void*>(memory);
  }

  void deallocate(void* memory) noexcept override {
    // Work on any stream may still use it, and the next allocation may return it immediately.
    check_in_destructor(driver_state().functions.cuCtxSynchronize_(), "cuCtxSynchronize");
    const auto address = reinterpret_cast<CUdeviceptr>(memory);
    if (placed_ && placed_->release(address)) return;
    if (has_pool_)
      check_in_destructor(
          driver_state().functions.cuMemFreeAsync_(address, memory_stream_->handle()),
          "cuMemFreeAsync");
    else
      check_in_destructor(driver_state().functions.cuMemFree_(address), "cuMemFree");
  }

  std::shared_ptr<void> pin(void* memory, std::size_t bytes) override {
    std::weak_ptr<void>& known = pins_[memory];
    if (std::shared_ptr<void> pinned = known.lock()) return pinned;
    // Memory that cannot be pinned is copied too, but more slowly.
    if (bytes == 0 ||
        driver().cuMemHostRegister_(memory, bytes, CU_MEMHOSTREGISTER_PORTABLE) != CUDA_SUCCESS)
      return nullptr;
    std::shared_ptr<void> pinned{
        memory, [](void* held) {
          check_in_destructor(driver_state().functions.cuCtxSynchronize_(), "cuCtxSynchronize");
          check_in_destructor(driver_state().functions.cuMemHostUnregister_(held),
                              "cuMemHostUnregister");
        }};
    known = pinned;
    return pinned;
  }

  void copy(void* to, const void* from, std::size_t bytes, Copy kind, Stream& stream) override {
    if (bytes == 0) return;
    const CUstream queue = static_cast<CudaStream&>(stream).handle();
    const auto device_to = reinterpret_cast<CUdeviceptr>(to);
    const auto device_from = reinterpret_cast<CUdeviceptr>(from);
    switch (kind) {
      case Copy::kToDevice:
        check(driver().cuMemcpyHtoDAsync_(device_to, from, bytes, queue), "copy to the device");
        break;
      case Copy::kToHost:
        check(driver().cuMemcpyDtoHAsync_(to, device_from, bytes, queue), "copy to the host");
        break;
      case Copy::kOnDevice:
        check(driver().cuMemcpyDtoDAsync_(device_to, device_from, bytes, queue),
              "copy on the device");
        break;
    }
  }

  void fill(void* memory, std::uint32_t pattern, std::size_t bytes, Stream& stream) override {
    const auto first = reinterpret_cast<CUdeviceptr>(memory);
    CUstream const queue = static_cast<CudaStream&>(stream).handle();
    const std::size_t words = bytes / sizeof pattern;
    if (words > 0)
      check(driver().cuMemsetD32Async_(first, pattern, words, queue), "filling device memory");
    for (std::size_t at = words * sizeof pattern; at < bytes; ++at, pattern >>= 8)
      check(driver().cuMemsetD8Async_(first + at, static_cast<unsigned char>(pattern), 1, queue),
            "filling device memory");
  }

  void reset_persisting_cache() noexcept override {
    // Refused by devices without persisting lines, by slices and by MPS: nothing to reset then.
    const Driver& cu = driver_state().functions;
    std::size_t bytes = 0;
    if (cu.cuCtxGetLimit_(&bytes, CU_LIMIT_PERSISTING_L2_CACHE_SIZE) != CUDA_SUCCESS) return;
    // Only then: kernels after a reset take 0.2 µs longer, those of the next calls too (H200).
    if (bytes == 0) return;
    cu.cuCtxSetLimit_(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0);
    cu.cuCtxResetPersistingL2Cache_();
  }

  std::unique_ptr<Stream> make_stream() override {
    return std::make_unique<CudaStream>(*this, calls_, streams_);
  }
  std::unique_ptr<Event> make_event() override { return std::make_unique<CudaEvent>(); }

  Compiler& compiler() override {
    if (!compiler_)
      compiler_ = checks_ ? make_compiler_with_lines(properties_.target)
                          : make_nvrtc_compiler(properties_.target);
    return *compiler_;
  }

  std::unique_ptr<Module> load(const Image& image) override {
    return load_module(image, properties_, calls_);
  }
  TextureFactory& textures() override { return textures_; }
  TensorMap tensor_map(const TensorMapForm& form) override {
    if (properties_.capability_major < 9)
      throw UnsupportedError(fmt::format("tensor maps need compute capability 9.0, {} has {}.{}",
                                         properties_.name, properties_.capability_major,
                                         properties_.capability_minor));
    return encode_tensor_map(form);
  }

  LaunchCalls& calls() noexcept override { return calls_; }

  Kernel& marker() override {
    if (!marker_) {
      if (!marker_module_) marker_module_ = load({properties_.target, kMarkerText, {}});
      marker_ = marker_module_->kernel(kMarkerEntry);
    }
    return *marker_;
  }

 private:
  std::unique_ptr<PlacedMemory> early_;  ///< until there is a context
  PrimaryContext context_;
  std::unique_ptr<PlacedMemory> placed_;
  std::optional<GreenContext> part_;
  DeviceProperties properties_;
  LaunchCalls calls_{properties_};
  std::map<void*, std::weak_ptr<void>> pins_;
  StreamPool streams_;
  std::unique_ptr<CudaStream> memory_stream_;
  std::unique_ptr<ToolChecks> checks_;
  /// KERNELBATCH_MEMORY_POOL=0: compute-sanitizer cannot track copies to pooled memory.
  const bool has_pool_ = environment("KERNELBATCH_MEMORY_POOL") != "0";
  std::unique_ptr<Compiler> compiler_;
  CudaTextures textures_;
  std::unique_ptr<Module> marker_module_;
  std::unique_ptr<Kernel> marker_;
};

}  // namespace

void CudaStream::synchronize() {
  check(driver().cuStreamSynchronize_(handle_), "waiting for the device's work");
}

void CudaStream::record(Event& event) {
  check(driver().cuEventRecord_(static_cast<CudaEvent&>(event).handle(), handle_), "cuEventRecord");
}

void CudaStream::wait(const Event& event) {
  check(driver().cuStreamWaitEvent_(handle_, static_cast<const CudaEvent&>(event).handle(),
                                    CU_EVENT_WAIT_DEFAULT),
        "cuStreamWaitEvent");
}

void CudaStream::begin_capture() {
  // Relaxed: calls of other threads do not invalidate this capture.
  check(driver().cuStreamBeginCapture_(handle_, CU_STREAM_CAPTURE_MODE_RELAXED),
        "cuStreamBeginCapture");
  is_capturing_ = true;
}

std::unique_ptr<StreamGraph> CudaStream::end_capture() {
  CUgraph captured = nullptr;
  check(driver().cuStreamEndCapture_(handle_, &captured), "cuStreamEndCapture");
  is_capturing_ = false;
  GraphHandle graph{captured};
  CUgraphExec executable = nullptr;
  check(driver().cuGraphInstantiateWithFlags_(&executable, graph.get(), 0),
        "cuGraphInstantiateWithFlags");
  return std::make_unique<CudaGraph>(std::move(graph), GraphExecHandle{executable}, calls_);
}

std::unique_ptr<Device> open(int ordinal, const OpenMode& mode) {
  Visible visible = visible_devices();
  if (ordinal < 0 || ordinal >= static_cast<int>(visible.devices.size()))
    throw DeviceError(
        fmt::format("cuda:{} cannot be used: {}", ordinal,
                    visible.reason.empty() ? "there is no such GPU" : visible.reason));
  return std::make_unique<CudaDevice>(
      ordinal, std::move(visible.devices[static_cast<std::size_t>(ordinal)]), mode);
}

}  // namespace kernelbatch::cuda
