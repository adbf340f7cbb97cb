// What Nsight Systems and Nsight Compute are told.
#pragma once

namespace kernelbatch::cuda {

/// NVTX ranges on the calling thread; nothing happens where no profiler listens.
void push_range(const char* name) noexcept;
void pop_range() noexcept;

/// cuProfilerStart and cuProfilerStop; no error where there is no profiler.
void start_profiler() noexcept;
void stop_profiler() noexcept;

}  // namespace kernelbatch::cuda
