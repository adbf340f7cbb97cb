#include "core/device/telemetry.hpp"

#include <limits>

namespace kernelbatch {

Telemetry::~Telemetry() = default;

TelemetryReading NoTelemetry::read() {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  return {kUnknown, kUnknown, kUnknown, kUnknown, false, false, ""};
}

}  // namespace kernelbatch
