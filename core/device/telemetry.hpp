// Telemetry: clocks, power and temperature of a device while it works.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "core/device/device.hpp"

namespace kernelbatch {

/// One reading. NaN where a quantity cannot be had.
struct TelemetryReading {
  double sm_clock;     ///< Hz
  double power;        ///< W
  double energy;       ///< J since the driver was loaded
  double temperature;  ///< °C
  /// The device slows itself down: heat, a power brake, a hardware slowdown. A power limit that
  /// lowers clocks is `is_power_capped`: a state that heavy work reaches and stays in.
  bool is_throttled = false, is_power_capped = false;
  std::string throttle_reason;  ///< "thermal slowdown"; empty where there is none
};

/// Reads one device. A reading costs the host microseconds to milliseconds: never inside a timed
/// region.
class Telemetry {
 public:
  virtual ~Telemetry();
  virtual TelemetryReading read() = 0;
  /// What cannot be read and why, in one sentence; empty where all can: "NVML gives no power (No
  /// permission)". Power of a MIG slice is its whole GPU's: said here too.
  virtual const std::string& absence() const = 0;
};

/// Of a device that tells nothing.
class NoTelemetry final : public Telemetry {
 public:
  explicit NoTelemetry(std::string absence) : absence_(std::move(absence)) {}
  TelemetryReading read() override;
  const std::string& absence() const override { return absence_; }

 private:
  std::string absence_;
};

}  // namespace kernelbatch
