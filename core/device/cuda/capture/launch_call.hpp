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

/// Takes over grid, block and shared memory from the driver's parameters of a launch or graph node.
template <class Parameters>
void set_shape(CUlaunchConfig& config, const Parameters& given) {
  config.gridDimX = given.gridDimX;
  config.gridDimY = given.gridDimY;
  config.gridDimZ = given.gridDimZ;
  config.blockDimX = given.blockDimX;
  config.blockDimY = given.blockDimY;
  config.blockDimZ = given.blockDimZ;
  config.sharedMemBytes = given.sharedMemBytes;
}

/// From the parameters of cuLaunchKernel, cuLaunchKernelEx or cuLaunchCooperativeKernel.
LaunchCall plain_launch(const void* parameters);
LaunchCall extended_launch(const void* parameters);
LaunchCall cooperative_launch(const void* parameters);

/// The launch with the values of its parameters.
Launch launch_of(const LoadedCuda& cuda, const LaunchCall& call, const std::string& kernel);

}  // namespace kernelbatch::capture
