#include "core/measure/timing.hpp"

#include <cmath>

namespace kernelbatch {
namespace {

double mean_clock(const std::vector<Sample>& samples) {
  double sum = 0;
  int count = 0;
  for (const Sample& sample : samples)
    if (!std::isnan(sample.sm_clock)) {
      sum += sample.sm_clock;
      ++count;
    }
  return count > 0 ? sum / count : kMissing;
}

}  // namespace

void add_timing(Timing timing, ResultRecord& record) {
  record.cold = timing.cold;
  record.hot = timing.hot;
  record.host = timing.host;
  record.stop_reason = std::move(timing.stop_reason);
  record.power_mean = timing.telemetry.power;
  record.temperature = timing.telemetry.temperature;
  record.throttled = timing.throttled;
  const double clock = mean_clock(timing.samples);
  record.sm_clock_mean = std::isnan(clock) ? timing.telemetry.sm_clock : clock;
  record.samples = std::move(timing.samples);
  for (const Note& note : timing.notes) record.add_note(note.about, note.text);
}

}  // namespace kernelbatch
