// Telemetry of a GPU through NVML.
#pragma once

#include <memory>

#include "core/device/telemetry.hpp"

namespace kernelbatch::cuda {

/// Finds the GPU by its UUID, else by its bus ID. For a MIG slice the whole GPU is read, and
/// absence() reports that.
std::unique_ptr<Telemetry> open_telemetry(const DeviceProperties& properties);

}  // namespace kernelbatch::cuda
