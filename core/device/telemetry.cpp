#include "core/device/telemetry.hpp"

#include <limits>

namespace kernelbatch {

Telemetry::~Telemetry() = default;

const TelemetryReading& Telemetry::refresh() {
  const Clock::time_point begin = Clock::now();
  last_ = read();
  const Clock::time_point end = Clock::now();
  stale_ = end + rest_after(end - begin);
  return last_;
}

TelemetryReading NoTelemetry::read() {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  return {kUnknown, kUnknown, kUnknown, kUnknown, false, false, ""};
}

}  // namespace kernelbatch
