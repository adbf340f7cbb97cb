// A fake libcupti.so.13: counts two launches of each call of the work, without hardware, and
// records its calls. Counters are named as_many_passes_N.sum.
#if __has_include(<cupti_range_profiler.h>) && __has_include(<cupti_profiler_host.h>)
#include <cupti.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>
#include <string_view>

namespace {

struct Play {
  std::string calls;     ///< names, each after a space
  std::string failing;   ///< the function that fails …
  CUptiResult result{};  ///< … with this
  std::size_t passes = 0, done = 0, extra_passes = 0;
};
Play play;

CUptiResult called(const char* name) {
  play.calls += ' ';
  play.calls += name;
  return play.failing == name ? play.result : CUPTI_SUCCESS;
}

/// N of as_many_passes_N.sum; 0 for another name.
std::size_t passes_of(std::string_view name) {
  constexpr std::string_view kBegin = "as_many_passes_";
  std::size_t passes = 0;
  if (name.starts_with(kBegin))
    std::from_chars(name.data() + kBegin.size(), name.data() + name.size(), passes);
  return passes;
}

}  // namespace

struct CUpti_Profiler_Host_Object {
  std::size_t passes = 0;
};
struct CUpti_RangeProfiler_Object {};

extern "C" {

// For the tests.
const char* fake_cupti_calls() { return play.calls.c_str(); }
void fake_cupti_note(const char* name) { called(name); }
void fake_cupti_begin(const char* failing, int result, std::size_t extra_passes) {
  play = {};
  play.failing = failing;
  play.result = static_cast<CUptiResult>(result);
  play.extra_passes = extra_passes;
}

CUptiResult cuptiGetVersion(std::uint32_t* version) {
  *version = CUPTI_API_VERSION;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetResultString(CUptiResult, const char** text) {
  *text = "an error of the fake CUPTI";
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params*) {
  return called("Initialize");
}
CUptiResult cuptiProfilerDeInitialize(CUpti_Profiler_DeInitialize_Params*) {
  return called("DeInitialize");
}
CUptiResult cuptiProfilerDeviceSupported(CUpti_Profiler_DeviceSupported_Params* p) {
  p->isSupported = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
  return called("DeviceSupported");
}
CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* p) {
  p->pChipName = "FK100";
  return called("GetChipName");
}
CUptiResult cuptiProfilerGetCounterAvailability(CUpti_Profiler_GetCounterAvailability_Params* p) {
  p->counterAvailabilityImageSize = 16;
  return called("GetCounterAvailability");
}

CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params* p) {
  if (std::strcmp(p->pChipName, "FK100") != 0) return CUPTI_ERROR_INVALID_CHIP_NAME;
  p->pHostObject = new CUpti_Profiler_Host_Object;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params* p) {
  delete p->pHostObject;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params* p) {
  for (std::size_t k = 0; k < p->numMetrics; ++k) {
    const std::size_t passes = passes_of(p->ppMetricNames[k]);
    if (passes == 0) return CUPTI_ERROR_INVALID_METRIC_NAME;
    p->pHostObject->passes = std::max(p->pHostObject->passes, passes);
  }
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params* p) {
  p->configImageSize = sizeof(std::size_t);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params* p) {
  std::memcpy(p->pConfigImage, &p->pHostObject->passes, sizeof(std::size_t));
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params* p) {
  std::memcpy(&p->numOfPasses, p->pConfigImage, sizeof(std::size_t));
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostEvaluateToGpuValues(
    CUpti_Profiler_Host_EvaluateToGpuValues_Params* p) {
  for (std::size_t k = 0; k < p->numMetrics; ++k)
    p->pMetricValues[k] = static_cast<double>(100 * p->rangeIndex + passes_of(p->ppMetricNames[k]));
  return called("Evaluate");
}

CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params* p) {
  static CUpti_RangeProfiler_Object object;
  p->pRangeProfilerObject = &object;
  return called("Enable");
}
CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params*) {
  return called("Disable");
}
CUptiResult cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params* p) {
  p->counterDataSize = 8 * p->maxNumOfRanges;
  return called("GetCounterDataSize");
}
CUptiResult cuptiRangeProfilerCounterDataImageInitialize(
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params* p) {
  std::fill_n(p->pCounterData, p->counterDataSize, std::uint8_t{1});
  return called("CounterDataImageInitialize");
}
CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params* p) {
  std::memcpy(&play.passes, p->pConfig, sizeof(std::size_t));
  play.passes += play.extra_passes;
  if (p->range != CUPTI_AutoRange || p->replayMode != CUPTI_UserReplay)
    return CUPTI_ERROR_INVALID_PARAMETER;
  return called("SetConfig");
}
CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params*) { return called("Start"); }
CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params* p) {
  p->isAllPassSubmitted = ++play.done >= play.passes ? 1 : 0;
  return called("Stop");
}
CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params* p) {
  p->numOfRangeDropped = 0;
  return called("DecodeData");
}
CUptiResult cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params* p) {
  p->numTotalRanges = 2;
  return called("GetCounterDataInfo");
}
CUptiResult cuptiRangeProfilerCounterDataGetRangeInfo(
    CUpti_RangeProfiler_CounterData_GetRangeInfo_Params* p) {
  p->rangeName = p->rangeIndex == 0 ? "1" : "0";  // not in the order of the launches
  return called("GetRangeInfo");
}
}

#endif
