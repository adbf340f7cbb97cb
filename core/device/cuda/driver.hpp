// The CUDA driver's functions, opened at run time: this file is the one list of them.
#pragma once

#include <cuda.h>
#include <cudaProfiler.h>

#include <string>

#if CUDA_VERSION < 13000
// For a slice the older function returns its GPU's UUID.
#define cuDeviceGetUuid cuDeviceGetUuid_v2
#endif

namespace kernelbatch::cuda {

// Every driver function in use. The names pass through cuda.h's own macros, so that a function
// whose interface changed (cuEventElapsedTime_v2, …) is opened under the name of its declaration.
#define KERNELBATCH_CUDA_FUNCTIONS(_) \
  _(cuInit)                           \
  _(cuDriverGetVersion)               \
  _(cuGetErrorName)                   \
  _(cuGetErrorString)                 \
  _(cuDeviceGetCount)                 \
  _(cuDeviceGet)                      \
  _(cuDeviceGetName)                  \
  _(cuDeviceGetUuid)                  \
  _(cuDeviceGetAttribute)             \
  _(cuDeviceGetPCIBusId)              \
  _(cuDeviceTotalMem)                 \
  _(cuDevicePrimaryCtxRetain)         \
  _(cuDevicePrimaryCtxRelease)        \
  _(cuCtxSetCurrent)                  \
  _(cuCtxGetCurrent)                  \
  _(cuCtxSynchronize)                 \
  _(cuCtxGetLimit)                    \
  _(cuCtxSetLimit)                    \
  _(cuCtxResetPersistingL2Cache)      \
  _(cuMemGetInfo)                     \
  _(cuDeviceGetDefaultMemPool)        \
  _(cuMemPoolSetAttribute)            \
  _(cuMemAlloc)                       \
  _(cuMemAllocAsync)                  \
  _(cuMemFree)                        \
  _(cuMemFreeAsync)                   \
  _(cuMemAddressReserve)              \
  _(cuMemAddressFree)                 \
  _(cuMemCreate)                      \
  _(cuMemRelease)                     \
  _(cuMemMap)                         \
  _(cuMemUnmap)                       \
  _(cuMemSetAccess)                   \
  _(cuMemcpyHtoDAsync)                \
  _(cuMemcpyDtoHAsync)                \
  _(cuMemcpyDtoDAsync)                \
  _(cuMemsetD8Async)                  \
  _(cuMemsetD32Async)                 \
  _(cuStreamCreate)                   \
  _(cuStreamDestroy)                  \
  _(cuStreamSynchronize)              \
  _(cuStreamWaitEvent)                \
  _(cuStreamBeginCapture)             \
  _(cuStreamEndCapture)               \
  _(cuGraphInstantiateWithFlags)      \
  _(cuGraphLaunch)                    \
  _(cuGraphDestroy)                   \
  _(cuGraphExecDestroy)               \
  _(cuGraphGetNodes)                  \
  _(cuGraphNodeGetType)               \
  _(cuGraphKernelNodeGetParams)       \
  _(cuGraphChildGraphNodeGetGraph)    \
  _(cuFuncGetName)                    \
  _(cuMemHostAlloc)                   \
  _(cuMemFreeHost)                    \
  _(cuMemHostRegister)                \
  _(cuMemHostUnregister)              \
  _(cuProfilerStart)                  \
  _(cuProfilerStop)                   \
  _(cuEventCreate)                    \
  _(cuEventDestroy)                   \
  _(cuEventRecord)                    \
  _(cuEventSynchronize)               \
  _(cuEventQuery)                     \
  _(cuEventElapsedTime)               \
  _(cuModuleLoadDataEx)               \
  _(cuModuleUnload)                   \
  _(cuModuleGetFunction)              \
  _(cuModuleGetGlobal)                \
  _(cuFuncGetAttribute)               \
  _(cuFuncSetAttribute)               \
  _(cuFuncGetParamInfo)               \
  _(cuLaunchKernel)                   \
  _(cuLaunchKernelEx)                 \
  _(cuCtxGetDevice)                   \
  _(cuDeviceGetDevResource)           \
  _(cuDevSmResourceSplitByCount)      \
  _(cuDevResourceGenerateDesc)        \
  _(cuGreenCtxCreate)                 \
  _(cuGreenCtxDestroy)                \
  _(cuCtxFromGreenCtx)                \
  _(cuArray3DCreate)                  \
  _(cuArrayDestroy)                   \
  _(cuMemcpy3DAsync)                  \
  _(cuTexObjectCreate)                \
  _(cuTexObjectDestroy)               \
  _(cuSurfObjectCreate)               \
  _(cuSurfObjectDestroy)              \
  _(cuTensorMapEncodeTiled)           \
  _(cuOccupancyMaxActiveClusters)     \
  _(cuOccupancyMaxActiveBlocksPerMultiprocessor)

/// Table of the functions above, each with its exact type.
struct Driver {
#define KERNELBATCH_CUDA_MEMBER(name) decltype(&::name) name##_ = nullptr;
  KERNELBATCH_CUDA_FUNCTIONS(KERNELBATCH_CUDA_MEMBER)
#undef KERNELBATCH_CUDA_MEMBER
};

/// The opened driver, or why it cannot be used.
struct DriverState {
  Driver functions;
  std::string reason;          ///< empty if the driver works
  std::string version;         ///< "13.0"; empty if unknown
  bool has_no_device = false;  ///< the reason is that there is no device
};

/// Opens and initialises libcuda on the first call; later calls cost nothing. Never throws for a
/// missing driver: `reason` describes the error.
const DriverState& driver_state();

/// True if libcuda is initialised: the devices that CUDA shows to this process can no longer be
/// changed.
bool is_driver_open() noexcept;

/// The functions. Throws DeviceError with the reason if there is no usable driver.
const Driver& driver();

}  // namespace kernelbatch::cuda
