// Notifications to Nsight Systems and Nsight Compute.
#pragma once

namespace kernelbatch::cuda {

/// NVTX ranges on the calling thread; without a profiler these do nothing.
void push_range(const char* name) noexcept;
void pop_range() noexcept;

/// cuProfilerStart and cuProfilerStop; no error without a profiler.
void start_profiler() noexcept;
void stop_profiler() noexcept;

}  // namespace kernelbatch::cuda
