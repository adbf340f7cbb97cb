#include "core/device/cuda/profiler.hpp"

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define KERNELBATCH_HAS_NVTX 1
#endif

#include "core/device/cuda/driver.hpp"

namespace kernelbatch::cuda {

#ifdef KERNELBATCH_HAS_NVTX
void push_range(const char* name) noexcept { nvtxRangePushA(name); }
void pop_range() noexcept { nvtxRangePop(); }
#else
void push_range(const char*) noexcept {}
void pop_range() noexcept {}
#endif

void start_profiler() noexcept {
  if (driver_state().reason.empty()) driver_state().functions.cuProfilerStart_();
}
void stop_profiler() noexcept {
  if (driver_state().reason.empty()) driver_state().functions.cuProfilerStop_();
}

}  // namespace kernelbatch::cuda
