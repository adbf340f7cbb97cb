// LaunchCall: a launch as a callback of CUPTI receives it.
#pragma once

#include <string>

#include "core/device/cuda/capture/launch.hpp"
#include "core/device/cuda/capture/loaded_cuda.hpp"

namespace kernelbatch::capture {

struct LaunchCall {
  CUfunction function = nullptr;
  CUlaunchConfig config = {};
  bool is_cooperative = false;
  void* const* parameters = nullptr;
  void* const* extra = nullptr;
};

/// From the parameters of cuLaunchKernel, cuLaunchKernelEx or cuLaunchCooperativeKernel.
LaunchCall plain_launch(const void* parameters);
LaunchCall extended_launch(const void* parameters);
LaunchCall cooperative_launch(const void* parameters);

/// The launch with the values of its parameters.
Launch launch_of(const LoadedCuda& cuda, const LaunchCall& call, const std::string& kernel);

}  // namespace kernelbatch::capture
