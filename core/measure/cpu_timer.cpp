#include <functional>
#include <vector>

#include "core/base/clock.hpp"
#include "core/measure/statistics.hpp"
#include "core/measure/timer.hpp"

namespace kernelbatch {
namespace {

/// Duration of a reference call by the simulated clock.
constexpr double kSimulatedReference = 1e-3;

}  // namespace

Timing time_on_cpu(const std::function<void()>& work, const MeasureSpec& spec,
                   const std::function<void()>& prepare, const std::function<void()>& check) {
  StopRule rule(spec);
  Timing timing;
  std::vector<double> times;
  const MeasuringClock::time_point begin = MeasuringClock::now();
  while (rule.wants_more(times, seconds_since(begin))) {
    prepare();
    const MeasuringClock::time_point before = MeasuringClock::now();
    work();
    MeasuringClock::advance(kSimulatedReference);
    times.push_back(seconds_since(before));
    check();
    timing.samples.push_back({SampleKind::kCold, static_cast<std::int64_t>(times.size()) - 1,
                              times.back(), kMissing, unix_time_ns()});
  }
  timing.cold = summarise(times);
  timing.stop_reason = rule.reason();
  return timing;
}

}  // namespace kernelbatch
