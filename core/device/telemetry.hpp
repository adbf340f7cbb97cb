// Telemetry: clocks, power and temperature of a device under load.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "core/device/device.hpp"

namespace kernelbatch {

/// One reading. NaN if a quantity is unavailable.
struct TelemetryReading {
  double sm_clock;     ///< Hz
  double power;        ///< W
  double energy;       ///< J since the driver was loaded
  double temperature;  ///< °C
  /// The device throttles: heat, a power brake, a hardware slowdown. A power limit that lowers
  /// clocks is `is_power_capped`: a steady state of heavy work.
  bool is_throttled = false, is_power_capped = false;
  std::string throttle_reason;  ///< "thermal slowdown"; empty if there is none
};

/// Reads one device. A reading costs the host microseconds to milliseconds: never inside a timed
/// region.
class Telemetry {
 public:
  virtual ~Telemetry();
  virtual TelemetryReading read() = 0;
  using Clock = std::chrono::steady_clock;
  /// Reads now.
  const TelemetryReading& refresh();
  /// True if the last refresh() is too old: see rest_after().
  bool is_stale() const { return Clock::now() >= stale_; }
  const TelemetryReading& last() const noexcept { return last_; }
  /// Time from one reading that took `cost` to the next: readings take at most 5 % of the time.
  static constexpr Clock::duration rest_after(Clock::duration cost) {
    return std::max<Clock::duration>(std::chrono::milliseconds(10), 20 * cost);
  }
  /// One sentence: what cannot be read and why; empty if everything can: "NVML gives no power (No
  /// permission)". Also reports that power of a MIG slice is its whole GPU's.
  virtual const std::string& absence() const = 0;

 private:
  TelemetryReading last_{};
  Clock::time_point stale_{};
};

/// Telemetry of a device without readings.
class NoTelemetry final : public Telemetry {
 public:
  explicit NoTelemetry(std::string absence) : absence_(std::move(absence)) {}
  TelemetryReading read() override;
  const std::string& absence() const override { return absence_; }

 private:
  std::string absence_;
};

}  // namespace kernelbatch
