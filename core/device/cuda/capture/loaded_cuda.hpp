// The driver and CUPTI in the process of the captured program: functions found by name.
#pragma once

#include <cuda.h>
#include <cupti.h>

#include <string>

#include "core/device/cuda/capture/launch.hpp"

namespace kernelbatch::capture {

// The names pass through cuda.h's own macros, so that functions with versions have the version of
// their declaration.
#define KERNELBATCH_CAPTURE_DRIVER(_)  \
  _(cuCtxSynchronize)                  \
  _(cuCtxGetCurrent)                   \
  _(cuCtxGetDevice)                    \
  _(cuDeviceGetName)                   \
  _(cuDeviceGetAttribute)              \
  _(cuPointerGetAttributes)            \
  _(cuMemGetAddressRange)              \
  _(cuMemcpyDtoH)                      \
  _(cuMemAlloc)                        \
  _(cuMemsetD8)                        \
  _(cuModuleLoadData)                  \
  _(cuModuleGetFunction)               \
  _(cuLaunchKernel)                    \
  _(cuMemHostAlloc)                    \
  _(cuMemFreeHost)                     \
  _(cuStreamIsCapturing)               \
  _(cuThreadExchangeStreamCaptureMode) \
  _(cuFuncGetName)                     \
  _(cuFuncGetModule)                   \
  _(cuFuncGetParamInfo)                \
  _(cuFuncGetAttribute)                \
  _(cuModuleGetGlobal)                 \
  _(cuKernelGetName)                   \
  _(cuKernelGetFunction)               \
  _(cuKernelGetParamInfo)              \
  _(cuGraphGetNodes)                   \
  _(cuGraphNodeGetType)                \
  _(cuGraphNodeGetDependencies)        \
  _(cuGraphNodeGetDependentNodes)      \
  _(cuGraphAddDependencies)            \
  _(cuGraphAddMemcpyNode)              \
  _(cuGraphNodeSetEnabled)             \
  _(cuGraphDestroyNode)                \
  _(cuGraphKernelNodeGetParams)        \
  _(cuGraphKernelNodeGetAttribute)     \
  _(cuGraphChildGraphNodeGetGraph)

/// Null if the driver is too old for them.
#define KERNELBATCH_CAPTURE_OPTIONAL(_) _(cuKernelGetLibrary)

#define KERNELBATCH_CAPTURE_CUPTI(_) \
  _(cuptiSubscribe)                  \
  _(cuptiEnableDomain)               \
  _(cuptiEnableCallback)             \
  _(cuptiGetResultString)            \
  _(cuptiActivityEnable)             \
  _(cuptiActivityDisable)            \
  _(cuptiActivityRegisterCallbacks)  \
  _(cuptiActivityFlushAll)           \
  _(cuptiActivityGetNextRecord)

struct LoadedCuda {
#define KERNELBATCH_CAPTURE_MEMBER(name) decltype(&::name) name##_ = nullptr;
  KERNELBATCH_CAPTURE_DRIVER(KERNELBATCH_CAPTURE_MEMBER)
  KERNELBATCH_CAPTURE_OPTIONAL(KERNELBATCH_CAPTURE_MEMBER)
  KERNELBATCH_CAPTURE_CUPTI(KERNELBATCH_CAPTURE_MEMBER)
#undef KERNELBATCH_CAPTURE_MEMBER
  std::string cupti_path = {};
};

/// Finds the loaded driver, and CUPTI: the loaded one, else `cupti`. Returns the reason if one of
/// them is missing or lacks a function, else an empty text.
std::string load(LoadedCuda& cuda, const std::string& cupti);

/// The function of the current context; `function` may be a CUkernel. Loads the kernel if the
/// driver postponed it.
CUfunction function_in_context(const LoadedCuda& cuda, CUfunction function);

/// Places of a kernel's parameters. `function` may be a CUkernel.
std::vector<ParameterPlace> parameters_of(const LoadedCuda& cuda, CUfunction function);

/// Parameter buffer of a launch, which gives either pointers to the parameters or the buffer.
std::vector<std::byte> parameter_bytes(const std::vector<ParameterPlace>& places,
                                       void* const* pointers, void* const* extra);

/// Mangled name; `function` may be a CUkernel. Empty if unknown.
std::string name_of(const LoadedCuda& cuda, CUfunction function);

/// "NVIDIA H200 (sm_90)", of the current context.
std::string device_of(const LoadedCuda& cuda);

}  // namespace kernelbatch::capture
