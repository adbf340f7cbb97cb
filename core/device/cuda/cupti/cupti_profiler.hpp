// CUPTI's functions that read hardware counters: this file is the one list of them.
#pragma once

#include <string>

#include "core/base/error.hpp"

#if __has_include(<cupti_range_profiler.h>) && __has_include(<cupti_profiler_host.h>)
#define KERNELBATCH_HAS_RANGE_PROFILER 1
#include <cuda.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>
#else  // before CUDA 12.6
#define KERNELBATCH_HAS_RANGE_PROFILER 0
#endif

namespace kernelbatch::cuda {

/// The reason why there are no counters. It is reported and is never an error of the work.
class CounterRefusal final : public UnsupportedError {
 public:
  using UnsupportedError::UnsupportedError;
};

#if KERNELBATCH_HAS_RANGE_PROFILER

#define KERNELBATCH_CUPTI_PROFILER_FUNCTIONS(_)   \
  _(cuptiGetResultString)                         \
  _(cuptiProfilerInitialize)                      \
  _(cuptiProfilerDeInitialize)                    \
  _(cuptiProfilerDeviceSupported)                 \
  _(cuptiProfilerGetCounterAvailability)          \
  _(cuptiDeviceGetChipName)                       \
  _(cuptiProfilerHostInitialize)                  \
  _(cuptiProfilerHostDeinitialize)                \
  _(cuptiProfilerHostConfigAddMetrics)            \
  _(cuptiProfilerHostGetConfigImageSize)          \
  _(cuptiProfilerHostGetConfigImage)              \
  _(cuptiProfilerHostGetNumOfPasses)              \
  _(cuptiProfilerHostEvaluateToGpuValues)         \
  _(cuptiRangeProfilerEnable)                     \
  _(cuptiRangeProfilerDisable)                    \
  _(cuptiRangeProfilerGetCounterDataSize)         \
  _(cuptiRangeProfilerCounterDataImageInitialize) \
  _(cuptiRangeProfilerSetConfig)                  \
  _(cuptiRangeProfilerStart)                      \
  _(cuptiRangeProfilerStop)                       \
  _(cuptiRangeProfilerDecodeData)                 \
  _(cuptiRangeProfilerGetCounterDataInfo)         \
  _(cuptiRangeProfilerCounterDataGetRangeInfo)

/// Table of the functions above, each with its exact type.
struct ProfilerFunctions {
#define KERNELBATCH_CUPTI_MEMBER(name) decltype(&::name) name##_ = nullptr;
  KERNELBATCH_CUPTI_PROFILER_FUNCTIONS(KERNELBATCH_CUPTI_MEMBER)
#undef KERNELBATCH_CUPTI_MEMBER
};

/// The functions of the library, opened on the first call. Throws CounterRefusal, always or never,
/// if CUPTI is missing or too old.
const ProfilerFunctions& profiler_functions();

/// A variable with the parameters of a call, all zero except for the size, from which CUPTI knows
/// the version of the struct.
#define KERNELBATCH_CUPTI_PARAMETERS(Type, name) \
  Type name = {};                                \
  name.structSize = Type##_STRUCT_SIZE

/// Throws CounterRefusal unless `result` is CUPTI_SUCCESS. If permission is missing, the message
/// names the setting that an administrator must change, otherwise `call`, the function's name.
void check_counters(CUptiResult result, const char* call);

/// Throws CounterRefusal if CUPTI reports that the device does not support counters, with the
/// feature that prevents it.
void check_support(CUdevice device);

#else

inline constexpr const char* kBuiltWithoutProfiler =
    "this kernelbatch was built without the headers of CUPTI's range profiler, which are in CUDA "
    "12.6 and newer";

#endif

}  // namespace kernelbatch::cuda
