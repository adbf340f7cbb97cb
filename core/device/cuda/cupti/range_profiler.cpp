#include "core/device/cuda/cupti/range_profiler.hpp"

#include "core/device/cuda/cupti/cupti_profiler.hpp"

#if KERNELBATCH_HAS_RANGE_PROFILER

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "core/base/text.hpp"
#include "core/device/cuda/cupti/counter_host.hpp"
#include "core/device/cuda/cupti/cupti_library.hpp"
#include "core/device/cuda/driver.hpp"

namespace kernelbatch::cuda {
namespace {

// Room for launches missing from the launch list, or for all of them if there is no list.
constexpr std::size_t kSpareLaunches = 8;
constexpr std::size_t kUnknownLaunches = 64;
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

/// Initialises CUPTI's profiler for its own lifetime.
class InitialisedProfiler {
 public:
  InitialisedProfiler() {
    KERNELBATCH_CUPTI_PARAMETERS(CUpti_Profiler_Initialize_Params, begin);
    check_counters(profiler_functions().cuptiProfilerInitialize_(&begin),
                   "cuptiProfilerInitialize");
  }
  ~InitialisedProfiler() {
    KERNELBATCH_CUPTI_PARAMETERS(CUpti_Profiler_DeInitialize_Params, end);
    profiler_functions().cuptiProfilerDeInitialize_(&end);
  }
  InitialisedProfiler(const InitialisedProfiler&) = delete;
  InitialisedProfiler& operator=(const InitialisedProfiler&) = delete;
};

/// Enables the profiler of one context for its own lifetime. Errors at its end, for example on a
/// lost device, are ignored.
class RangeProfiler {
 public:
  explicit RangeProfiler(CUcontext context) {
    KERNELBATCH_CUPTI_PARAMETERS(CUpti_RangeProfiler_Enable_Params, enabled);
    enabled.ctx = context;
    check_counters(cupti_.cuptiRangeProfilerEnable_(&enabled), "cuptiRangeProfilerEnable");
    handle_ = enabled.pRangeProfilerObject;
  }
  ~RangeProfiler() {
    KERNELBATCH_CUPTI_PARAMETERS(CUpti_RangeProfiler_Disable_Params, disabled);
    disabled.pRangeProfilerObject = handle_;
    cupti_.cuptiRangeProfilerDisable_(&disabled);
  }
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;

  /// Before the first pass: the counters, and the maximum number of launches.
  void configure(const CounterChoice& choice, std::size_t launches);
  void start() {
    KERNELBATCH_CUPTI_PARAMETERS(CUpti_RangeProfiler_Start_Params, started);
    started.pRangeProfilerObject = handle_;
    check_counters(cupti_.cuptiRangeProfilerStart_(&started), "cuptiRangeProfilerStart");
  }
  CUptiResult stop(bool& was_last) {
    KERNELBATCH_CUPTI_PARAMETERS(CUpti_RangeProfiler_Stop_Params, stopped);
    stopped.pRangeProfilerObject = handle_;
    const CUptiResult result = cupti_.cuptiRangeProfilerStop_(&stopped);
    was_last = stopped.isAllPassSubmitted != 0;
    return result;
  }
  /// After the last pass. Returns the number of dropped launches.
  std::size_t decode() {
    KERNELBATCH_CUPTI_PARAMETERS(CUpti_RangeProfiler_DecodeData_Params, decoded);
    decoded.pRangeProfilerObject = handle_;
    check_counters(cupti_.cuptiRangeProfilerDecodeData_(&decoded), "cuptiRangeProfilerDecodeData");
    return decoded.numOfRangeDropped;
  }
  const std::vector<std::uint8_t>& data() const noexcept { return data_; }

 private:
  void make_room(const std::vector<std::string>& names, std::size_t launches);

  const ProfilerFunctions& cupti_ = profiler_functions();
  CUpti_RangeProfiler_Object* handle_ = nullptr;
  // CUPTI reads and writes these until it is disabled.
  std::vector<std::uint8_t> configuration_, data_;
};

void RangeProfiler::make_room(const std::vector<std::string>& names, std::size_t launches) {
  std::vector<const char*> pointers;
  for (const std::string& name : names) pointers.push_back(name.c_str());
  KERNELBATCH_CUPTI_PARAMETERS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
  size.pRangeProfilerObject = handle_;
  size.pMetricNames = pointers.data();
  size.numMetrics = pointers.size();
  size.maxNumOfRanges = launches;
  size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(launches);
  check_counters(cupti_.cuptiRangeProfilerGetCounterDataSize_(&size),
                 "cuptiRangeProfilerGetCounterDataSize");
  if (size.counterDataSize > kMostBytes)
    throw CounterRefusal(fmt::format("{} launches are too many to be counted: their values take {}",
                                     launches, format_bytes(size.counterDataSize)));
  data_.assign(size.counterDataSize, 0);
  KERNELBATCH_CUPTI_PARAMETERS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, empty);
  empty.pRangeProfilerObject = handle_;
  empty.counterDataSize = data_.size();
  empty.pCounterData = data_.data();
  check_counters(cupti_.cuptiRangeProfilerCounterDataImageInitialize_(&empty),
                 "cuptiRangeProfilerCounterDataImageInitialize");
}

void RangeProfiler::configure(const CounterChoice& choice, std::size_t launches) {
  make_room(choice.names, launches);
  configuration_ = choice.configuration;
  KERNELBATCH_CUPTI_PARAMETERS(CUpti_RangeProfiler_SetConfig_Params, set);
  set.pRangeProfilerObject = handle_;
  set.configSize = configuration_.size();
  set.pConfig = configuration_.data();
  set.counterDataImageSize = data_.size();
  set.pCounterDataImage = data_.data();
  set.range = CUPTI_AutoRange;
  set.replayMode = CUPTI_UserReplay;
  set.maxRangesPerPass = launches;
  set.numNestingLevels = 1;
  set.minNestingLevel = 1;
  set.passIndex = 0;
  set.targetNestingLevel = 1;
  check_counters(cupti_.cuptiRangeProfilerSetConfig_(&set), "cuptiRangeProfilerSetConfig");
}

/// One pass; ends also if an exception is thrown.
class Pass {
 public:
  explicit Pass(RangeProfiler& profiler) : profiler_(profiler) { profiler_.start(); }
  ~Pass() {
    bool was_last = false;
    if (is_open_) profiler_.stop(was_last);
  }
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;
  /// True if it was the last pass.
  bool end() {
    is_open_ = false;
    bool was_last = false;
    check_counters(profiler_.stop(was_last), "cuptiRangeProfilerStop");
    return was_last;
  }

 private:
  RangeProfiler& profiler_;
  bool is_open_ = true;
};

CounterChip chip_of(CUdevice device, CUcontext context) {
  const ProfilerFunctions& cupti = profiler_functions();
  CounterChip chip;
  KERNELBATCH_CUPTI_PARAMETERS(CUpti_Device_GetChipName_Params, named);
  named.deviceIndex = static_cast<std::size_t>(device);
  check_counters(cupti.cuptiDeviceGetChipName_(&named), "cuptiDeviceGetChipName");
  chip.name = named.pChipName;
  // First call returns the size, second call the image. This is the first call that needs
  // permission.
  KERNELBATCH_CUPTI_PARAMETERS(CUpti_Profiler_GetCounterAvailability_Params, available);
  available.ctx = context;
  for (int step = 0; step < 2; ++step) {
    check_counters(cupti.cuptiProfilerGetCounterAvailability_(&available),
                   "cuptiProfilerGetCounterAvailability");
    chip.availability.resize(available.counterAvailabilityImageSize);
    available.pCounterAvailabilityImage = chip.availability.data();
  }
  return chip;
}

/// The launch of a range: such ranges are named by number.
std::int64_t launch_of(const std::vector<std::uint8_t>& data, std::size_t range) {
  KERNELBATCH_CUPTI_PARAMETERS(CUpti_RangeProfiler_CounterData_GetRangeInfo_Params, info);
  info.pCounterDataImage = data.data();
  info.counterDataImageSize = data.size();
  info.rangeIndex = range;
  info.rangeDelimiter = "/";
  check_counters(profiler_functions().cuptiRangeProfilerCounterDataGetRangeInfo_(&info),
                 "cuptiRangeProfilerCounterDataGetRangeInfo");
  const std::string_view name = info.rangeName != nullptr ? info.rangeName : "";
  std::int64_t launch = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), launch);
  if (error != std::errc() || end != name.data() + name.size())
    throw CounterRefusal(fmt::format("CUPTI names a launch '{}' and not by its number", name));
  return launch;
}

std::vector<std::pair<std::int64_t, std::size_t>> launches_and_ranges(
    const std::vector<std::uint8_t>& data) {
  KERNELBATCH_CUPTI_PARAMETERS(CUpti_RangeProfiler_GetCounterDataInfo_Params, info);
  info.pCounterDataImage = data.data();
  info.counterDataImageSize = data.size();
  check_counters(profiler_functions().cuptiRangeProfilerGetCounterDataInfo_(&info),
                 "cuptiRangeProfilerGetCounterDataInfo");
  if (info.numTotalRanges == 0) throw CounterRefusal("CUPTI counted no launch of the work");
  std::vector<std::pair<std::int64_t, std::size_t>> found;
  for (std::size_t range = 0; range < info.numTotalRanges; ++range)
    found.emplace_back(launch_of(data, range), range);
  std::ranges::sort(found);
  return found;
}

/// Returns the number of launches before the work in each call.
std::size_t call_work(CounterList& list, RangeProfiler& profiler,
                      const std::vector<Stream*>& streams, const CounterRequest& request) {
  std::size_t settled = 0;
  const auto wait = [&] {
    for (Stream* stream : streams) stream->synchronize();
  };
  for (bool was_last = false; !was_last;) {
    if (list.calls >= request.most_calls)
      throw CounterRefusal("CUPTI wants more calls of the work than it had announced");
    if (request.prepare) request.prepare();
    wait();
    Pass pass(profiler);
    ++list.calls;
    if (request.after_flush) {
      settled = request.after_flush();
      wait();
    }
    request.work();
    wait();
    was_last = pass.end();
  }
  return settled;
}

void read_into(CounterList& list, const std::vector<Stream*>& streams,
               const CounterRequest& request) {
  if (is_cupti_off()) throw CounterRefusal("KERNELBATCH_CUPTI=0");
  profiler_functions();
  CUdevice device = 0;
  CUcontext context = nullptr;
  if (driver().cuCtxGetDevice_(&device) != CUDA_SUCCESS ||
      driver().cuCtxGetCurrent_(&context) != CUDA_SUCCESS)
    throw CounterRefusal("this thread has no context of the device");
  const InitialisedProfiler initialised;
  check_support(device);
  const CounterChip chip = chip_of(device, context);
  const CounterChoice choice = choose_counters(chip, request.names, request.most_calls);
  list.left_out = choice.left_out;
  if (choice.names.empty())
    throw CounterRefusal(
        fmt::format("a {} has none of the counters that are asked for, or none "
                    "that {} calls of the work can count",
                    chip.name, request.most_calls));
  CounterHost host(chip);
  if (!host.add(choice.names)) throw CounterRefusal("cuptiProfilerHostConfigAddMetrics fails");

  RangeProfiler profiler(context);
  profiler.configure(choice,
                     request.launches == 0 ? kUnknownLaunches : request.launches + kSpareLaunches);
  const auto settled = static_cast<std::int64_t>(call_work(list, profiler, streams, request));
  list.dropped = static_cast<std::int64_t>(profiler.decode());
  for (const auto& [number, range] : launches_and_ranges(profiler.data())) {
    const std::int64_t launch = number - settled;
    if (launch < 0) continue;
    const std::vector<double> values = host.evaluate(profiler.data(), range);
    for (std::size_t k = 0; k < values.size(); ++k)
      list.values.push_back({launch, choice.names[k], values[k]});
    ++list.launches;
  }
}

/// True if a slice's compute instance is only a part of its GPU instance: 1c.3g.20gb of 3g.20gb.
bool shares_gpu_instance(const DeviceProperties& properties) {
  return properties.mig_profile.find("c.") != std::string::npos;
}

}  // namespace

CounterList read_counters(Device& device, const std::vector<Stream*>& streams,
                          const CounterRequest& request) {
  CounterList list;
  try {
    read_into(list, streams, request);
  } catch (const CounterRefusal& refusal) {
    list.values.clear();
    list.launches = 0;
    list.reason = refusal.message();
    if (shares_gpu_instance(device.properties()))
      list.reason +=
          "; other processes may share this MIG slice's GPU instance, of which it is a "
          "part, and CUPTI needs a whole one";
  }
  return list;
}

}  // namespace kernelbatch::cuda

#else  // a toolkit without those headers

namespace kernelbatch::cuda {

CounterList read_counters(Device&, const std::vector<Stream*>&, const CounterRequest&) {
  CounterList list;
  list.reason =
      "this kernelbatch was built without the headers of CUPTI's range profiler, which "
      "are in CUDA 12.6 and newer";
  return list;
}

}  // namespace kernelbatch::cuda
#endif
