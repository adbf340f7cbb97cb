// Telemetry readings of a device while one variant is timed.
#pragma once

#include <cmath>
#include <string>

#include "core/device/telemetry.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

/// NaN if unknown.
struct TelemetrySummary {
  double sm_clock = kMissing;     ///< Hz, mean
  double power = kMissing;        ///< W, mean
  double temperature = kMissing;  ///< °C, the last
  bool was_power_capped = false;
};

/// Reads after each turn of a variant, so that other variants are not included, and only if the
/// device's last reading is too old, since a reading costs host time.
class TelemetryLog {
 public:
  /// Without telemetry nothing is read.
  explicit TelemetryLog(Telemetry* telemetry) : telemetry_(telemetry) {}

  void begin_turn();
  void end_turn();
  /// Throttle reason in the last reading; empty if the device does not throttle.
  const std::string& throttle_reason() const noexcept { return last_.throttle_reason; }
  /// True if clocks, and therefore their reasons, can be read.
  bool knows_clock() const noexcept { return !std::isnan(last_.sm_clock); }
  bool is_read() const noexcept { return telemetry_ != nullptr; }
  TelemetrySummary summary() const;

 private:
  Telemetry* telemetry_;
  TelemetryReading last_{kMissing, kMissing, kMissing, kMissing, false, false, ""};
  double clock_sum_ = 0, power_sum_ = 0;
  int clocks_ = 0, powers_ = 0;
  bool has_ended_ = false;  ///< the first turn
  bool was_capped_ = false;
};

}  // namespace kernelbatch
