#include "core/device/cuda/capture/launch_call.hpp"

namespace kernelbatch::capture {
namespace {

template <class Parameters>
LaunchCall plain_call(const void* data) {
  const auto& given = *static_cast<const Parameters*>(data);
  LaunchCall call{.function = given.f};
  set_shape(call.config, given);
  call.config.hStream = given.hStream;
  call.parameters = given.kernelParams;
  if constexpr (requires { given.extra; })
    call.extra = given.extra;
  else
    call.is_cooperative = true;
  return call;
}

}  // namespace

LaunchCall plain_launch(const void* parameters) {
  return plain_call<cuLaunchKernel_params>(parameters);
}

LaunchCall cooperative_launch(const void* parameters) {
  return plain_call<cuLaunchCooperativeKernel_params>(parameters);
}

LaunchCall extended_launch(const void* data) {
  const auto& given = *static_cast<const cuLaunchKernelEx_params*>(data);
  return {.function = given.f,
          .config = *given.config,
          .parameters = given.kernelParams,
          .extra = given.extra};
}

Launch launch_of(const LoadedCuda& cuda, const LaunchCall& call, const std::string& kernel) {
  const CUlaunchConfig& config = call.config;
  Launch launch{.kernel = kernel,
                .grid = {config.gridDimX, config.gridDimY, config.gridDimZ},
                .block = {config.blockDimX, config.blockDimY, config.blockDimZ},
                .shared_bytes = config.sharedMemBytes,
                .is_cooperative = call.is_cooperative};
  for (unsigned k = 0; k < config.numAttrs; ++k) {
    const CUlaunchAttribute& attribute = config.attrs[k];
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
      launch.is_cooperative = attribute.value.cooperative != 0;
    else if (attribute.id == CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
      launch.carveout = static_cast<int>(attribute.value.sharedMemCarveout);
    else if (attribute.id == CU_LAUNCH_ATTRIBUTE_IGNORE)
      continue;
    else if (attribute.id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      launch.attributes.push_back(attribute.id);
    else
      launch.cluster = {attribute.value.clusterDim.x, attribute.value.clusterDim.y,
                        attribute.value.clusterDim.z};
  }
  launch.parameters = parameters_of(cuda, call.function);
  launch.bytes = parameter_bytes(launch.parameters, call.parameters, call.extra);
  return launch;
}

}  // namespace kernelbatch::capture
