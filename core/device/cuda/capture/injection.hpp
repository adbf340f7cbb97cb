// Injection: callbacks of CUPTI in the captured program.
#pragma once

#include <atomic>
#include <shared_mutex>
#include <unordered_map>

#include "core/device/cuda/capture/cache_state.hpp"
#include "core/device/cuda/capture/graphs.hpp"
#include "core/device/cuda/capture/kernel_times.hpp"
#include "core/device/cuda/capture/launch_call.hpp"
#include "core/device/cuda/capture/modules.hpp"
#include "core/device/cuda/capture/program_memory.hpp"
#include "core/device/cuda/capture/recorder.hpp"

namespace kernelbatch::capture {

class Injection {
 public:
  Injection(Settings settings, const LoadedCuda& cuda);

  /// Subscribes to CUPTI. Returns the reason if it is refused, else an empty text.
  std::string subscribe();
  void handle(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data);
  /// At the end of the process.
  void finish();

 private:
  void on_resource(CUpti_CallbackId id, const CUpti_ResourceData& data);
  void on_call(CUpti_CallbackId id, const CUpti_CallbackData& data);
  void on_source(CUpti_CallbackId id, const CUpti_CallbackData& data);
  void on_launch(const LaunchCall& call, const CUpti_CallbackData& data);
  void begin(const LaunchCall& call, const std::string& kernel, std::uint32_t correlation);
  void time(const LaunchCall& call, const std::string& kernel, std::uint32_t correlation);
  void wait_for_others();
  void end(const CUpti_CallbackData& data);
  void on_graph(CUpti_CallbackId id, const CUpti_CallbackData& data);
  bool is_capturing(CUstream stream);
  SeenKernel& seen(CUfunction function, const char* symbol);

  const LoadedCuda& cuda_;
  ProgramMemory memory_;
  Recorder recorder_;
  Modules modules_;
  Graphs graphs_;
  KernelTimes times_;
  CacheState cache_;
  int process_;
  std::shared_mutex mutex_;
  std::unordered_map<CUfunction, SeenKernel*> kernels_;
  std::atomic<std::uint64_t> unloads_ = 0;  ///< a function's address may be used again
  std::atomic<bool> is_recording_ = false;
  std::shared_mutex launches_;  ///< locked during a recorded launch
};

}  // namespace kernelbatch::capture
