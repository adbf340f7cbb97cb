// CoolDown: samples that a slowed-down device spoils, and waiting until it recovers.
#pragma once

#include <cstdint>
#include <string>

#include "core/measure/telemetry_log.hpp"

namespace kernelbatch {

class CoolDown {
 public:
  /// `nominal_clock`: of the device, in Hz; 0 = unknown.
  CoolDown(const TelemetryLog& log, double nominal_clock)
      : log_(log), nominal_clock_(nominal_clock) {}

  /// True if a sample taken at this clock is to be dropped.
  bool spoils(double clock) const;
  /// Waits after a turn with `dropped` such samples. Returns a sentence if samples are kept from
  /// now on although the device stays slow.
  std::string rest(std::int64_t dropped);
  /// Number of samples dropped so far.
  std::int64_t dropped() const noexcept { return dropped_; }

 private:
  const TelemetryLog& log_;
  double nominal_clock_;
  double waited_s_ = 0;
  std::int64_t dropped_ = 0;
};

}  // namespace kernelbatch
