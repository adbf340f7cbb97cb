#include "core/measure/telemetry_log.hpp"

#include <cmath>
#include <utility>

namespace kernelbatch {

void TelemetryLog::begin_turn() {
  if (telemetry_ == nullptr) return;
  last_ = telemetry_->is_stale() ? telemetry_->refresh() : telemetry_->last();
}

void TelemetryLog::end_turn() {
  if (telemetry_ == nullptr) return;
  // The first turn always ends with a reading, however short it was.
  if (std::exchange(has_ended_, true) && !telemetry_->is_stale()) return;
  last_ = telemetry_->refresh();
  was_capped_ = was_capped_ || last_.is_power_capped;
  // Clock and power right after work; before the turn the device may have been idle.
  if (!std::isnan(last_.sm_clock)) {
    clock_sum_ += last_.sm_clock;
    ++clocks_;
  }
  if (!std::isnan(last_.power)) {
    power_sum_ += last_.power;
    ++powers_;
  }
}

TelemetrySummary TelemetryLog::summary() const {
  TelemetrySummary summary;
  if (clocks_ > 0) summary.sm_clock = clock_sum_ / clocks_;
  if (powers_ > 0) summary.power = power_sum_ / powers_;
  summary.temperature = last_.temperature;
  summary.was_power_capped = was_capped_;
  return summary;
}

}  // namespace kernelbatch
