#include "core/device/cuda/cupti/counter_host.hpp"

#include "core/device/cuda/cupti/cupti_profiler.hpp"

#if KERNELBATCH_HAS_RANGE_PROFILER

#include <algorithm>
#include <map>
#include <mutex>
#include <span>
#include <utility>

#include "core/base/text.hpp"

namespace kernelbatch::cuda {
namespace {

/// The arguments of choose_counters() as one text.
std::string question_of(const CounterChip& chip, const std::vector<std::string>& names,
                        int most_passes) {
  std::string question = std::to_string(most_passes) + ' ';
  append_sized(question, chip.name);
  append_sized(question,
               {reinterpret_cast<const char*>(chip.availability.data()), chip.availability.size()});
  for (const std::string& name : names) append_sized(question, name);
  return question;
}

bool has_counter(const CounterChip& chip, const std::string& name) {
  return CounterHost(chip).add({name});
}

/// Adds names to a choice if the chip can read all of them in at most `most_passes` passes.
bool try_add(CounterChoice& choice, const CounterChip& chip, std::span<const std::string> added,
             std::size_t most_passes) {
  CounterHost host(chip);
  std::vector<std::string> names = choice.names;
  names.insert(names.end(), added.begin(), added.end());
  if (!host.add(names)) return false;
  std::vector<std::uint8_t> configuration = host.configuration();
  const std::size_t passes = passes_of(configuration);
  if (passes > most_passes) return false;
  choice.names = std::move(names);
  choice.configuration = std::move(configuration);
  choice.passes = passes;
  return true;
}

CounterChoice make_choice(const CounterChip& chip, const std::vector<std::string>& names,
                          int most_passes) {
  CounterChoice choice;
  std::vector<std::string> there;
  for (const std::string& alternatives : names) {
    const std::vector<std::string> each = split(alternatives, '|');
    const auto found = std::ranges::find_if(
        each, [&](const std::string& name) { return has_counter(chip, name); });
    if (found != each.end())
      there.push_back(*found);
    else
      choice.left_out.push_back(alternatives);
  }
  const auto most = static_cast<std::size_t>(std::max(most_passes, 0));
  if (there.empty() || try_add(choice, chip, there, most)) return choice;
  for (const std::string& name : there)
    if (!try_add(choice, chip, {&name, 1}, most)) choice.left_out.push_back(name);
  return choice;
}

}  // namespace

CounterChoice choose_counters(const CounterChip& chip, const std::vector<std::string>& names,
                              int most_passes) {
  // Takes 0.1 s or more, and every variant of a process asks the same.
  static std::mutex mutex;
  static std::map<std::string, CounterChoice> known;
  const std::string question = question_of(chip, names, most_passes);
  const std::lock_guard lock(mutex);
  const auto found = known.find(question);
  if (found != known.end()) return found->second;
  return known.emplace(question, make_choice(chip, names, most_passes)).first->second;
}

CounterHost::CounterHost(const CounterChip& chip) {
  KERNELBATCH_CUPTI_PARAMETERS(CUpti_Profiler_Host_Initialize_Params, made);
  made.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  made.pChipName = chip.name.c_str();
  made.pCounterAvailabilityImage = chip.availability.empty() ? nullptr : chip.availability.data();
  check_counters(profiler_functions().cuptiProfilerHostInitialize_(&made),
                 "cuptiProfilerHostInitialize");
  handle_ = made.pHostObject;
}

CounterHost::~CounterHost() {
  KERNELBATCH_CUPTI_PARAMETERS(CUpti_Profiler_Host_Deinitialize_Params, gone);
  gone.pHostObject = handle_;
  // The constructor found the function, so this does not throw.
  profiler_functions().cuptiProfilerHostDeinitialize_(&gone);
}

std::vector<const char*> CounterHost::pointers() const {
  std::vector<const char*> pointers;
  for (const std::string& name : names_) pointers.push_back(name.c_str());
  return pointers;
}

bool CounterHost::add(const std::vector<std::string>& names) {
  names_ = names;
  std::vector<const char*> asked = pointers();
  KERNELBATCH_CUPTI_PARAMETERS(CUpti_Profiler_Host_ConfigAddMetrics_Params, added);
  added.pHostObject = handle_;
  added.ppMetricNames = asked.data();
  added.numMetrics = asked.size();
  return profiler_functions().cuptiProfilerHostConfigAddMetrics_(&added) == CUPTI_SUCCESS;
}

std::vector<std::uint8_t> CounterHost::configuration() const {
  KERNELBATCH_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetConfigImageSize_Params, size);
  size.pHostObject = handle_;
  check_counters(profiler_functions().cuptiProfilerHostGetConfigImageSize_(&size),
                 "cuptiProfilerHostGetConfigImageSize");
  std::vector<std::uint8_t> image(size.configImageSize);
  KERNELBATCH_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetConfigImage_Params, got);
  got.pHostObject = handle_;
  got.configImageSize = image.size();
  got.pConfigImage = image.data();
  check_counters(profiler_functions().cuptiProfilerHostGetConfigImage_(&got),
                 "cuptiProfilerHostGetConfigImage");
  return image;
}

std::vector<double> CounterHost::evaluate(const std::vector<std::uint8_t>& data,
                                          std::size_t range) const {
  std::vector<const char*> asked = pointers();
  std::vector<double> values(asked.size());
  KERNELBATCH_CUPTI_PARAMETERS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, evaluated);
  evaluated.pHostObject = handle_;
  evaluated.pCounterDataImage = data.data();
  evaluated.counterDataImageSize = data.size();
  evaluated.rangeIndex = range;
  evaluated.ppMetricNames = asked.data();
  evaluated.numMetrics = asked.size();
  evaluated.pMetricValues = values.data();
  check_counters(profiler_functions().cuptiProfilerHostEvaluateToGpuValues_(&evaluated),
                 "cuptiProfilerHostEvaluateToGpuValues");
  return values;
}

std::size_t passes_of(std::vector<std::uint8_t>& configuration) {
  KERNELBATCH_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetNumOfPasses_Params, counted);
  counted.configImageSize = configuration.size();
  counted.pConfigImage = configuration.data();
  check_counters(profiler_functions().cuptiProfilerHostGetNumOfPasses_(&counted),
                 "cuptiProfilerHostGetNumOfPasses");
  return counted.numOfPasses;
}

}  // namespace kernelbatch::cuda

#else  // a toolkit without those headers

namespace kernelbatch::cuda {

CounterChoice choose_counters(const CounterChip&, const std::vector<std::string>&, int) {
  throw CounterRefusal(kBuiltWithoutProfiler);
}

}  // namespace kernelbatch::cuda
#endif
