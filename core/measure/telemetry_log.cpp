#include "core/measure/telemetry_log.hpp"

#include <cmath>

namespace kernelbatch {
namespace {

constexpr std::chrono::milliseconds kRest{10};

}  // namespace

bool TelemetryLog::read(bool is_forced) {
  if (telemetry_ == nullptr) return false;
  if (!is_forced && Clock::now() - last_time_ < kRest) return false;
  last_ = telemetry_->read();
  last_time_ = Clock::now();
  was_capped_ = was_capped_ || last_.is_power_capped;
  return true;
}

void TelemetryLog::begin_turn() { read(false); }

void TelemetryLog::end_turn() {
  // The first turn always ends with a reading, however short it was.
  if (!read(clocks_ + powers_ < 3)) return;
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
