#include "core/device/telemetry.hpp"

namespace kernelbatch {

Telemetry::~Telemetry() = default;

}  // namespace kernelbatch
