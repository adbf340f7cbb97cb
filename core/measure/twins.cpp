#include "core/measure/twins.hpp"

#include <chrono>

#include "core/base/clock.hpp"
#include "core/kernel/program/program.hpp"

namespace kernelbatch {
namespace {

using Clock = MeasuringClock;

constexpr int kSamples = 5;
constexpr double kLongest = 0.5;  ///< s of the samples of one twin

/// Restores the run's normal execution, also if an exception is thrown.
class DoneAs {
 public:
  DoneAs(RunContext& context, Twin twin) : context_(context) { context.twin = twin; }
  ~DoneAs() { context_.twin = Twin::kNone; }
  DoneAs(const DoneAs&) = delete;
  DoneAs& operator=(const DoneAs&) = delete;

 private:
  RunContext& context_;
};

double time_of(Twin twin, const TwinRequest& request, TimingTools& tools) {
  const DoneAs done(request.streams.front()->context(), twin);
  MeasureSpec spec = request.measure;
  spec.warmup = 1;
  spec.hot = spec.telemetry = false;
  spec.noise = 0;
  spec.min_samples = spec.max_samples = kSamples;
  spec.timeout_s = kLongest;
  if (request.checks != nullptr) request.checks->prepare(*request.streams.front());
  request.work();  // compiles what is to be compiled
  for (Stream* stream : request.streams) stream->synchronize();
  VariantTimer timer(request.work, request.streams, spec, tools, request.checks);
  timer.prepare();
  while (timer.wants_cold()) timer.take_cold(true);
  // Few samples suffice: noise can only increase the minimum.
  return timer.finish().cold.min;
}

}  // namespace

std::vector<TwinTime> time_twins(const TwinRequest& request, TimingTools& tools) {
  const Clock::time_point begin = Clock::now();
  std::vector<TwinTime> times;
  if (request.twins.empty()) return times;
  times.push_back({Twin::kNone, time_of(Twin::kNone, request, tools)});
  for (const Twin twin : request.twins) {
    // The next one is expected to take as long as the average so far.
    const double spent = seconds_since(begin);
    if (spent + spent / static_cast<double>(times.size()) > request.budget_s) break;
    times.push_back({twin, time_of(twin, request, tools)});
  }
  take_program_log(tools.device());  // not the variant's
  return times;
}

std::string_view name_of(Twin twin) noexcept {
  switch (twin) {
    case Twin::kNone:
      return "as_is";
    case Twin::kNoArithmetic:
      return "no_arithmetic";
    case Twin::kNoLoads:
      return "no_loads";
    case Twin::kHalfOccupancy:
      return "half_occupancy";
    case Twin::kHalfGrid:
      return "half_grid";
  }
  return "";
}

}  // namespace kernelbatch
