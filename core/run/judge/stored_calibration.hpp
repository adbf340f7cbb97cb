// Calibrations of devices, kept for an hour in the cache folder.
#pragma once

#include <string>
#include <vector>

#include "core/result/record.hpp"

namespace kernelbatch {

/// The calibration stored under this name within the last hour; empty if there is none, or if
/// others could have written it.
std::vector<DeviceCalibration> stored_calibration(const std::string& device);

/// A folder that cannot be written is no error. Nothing is stored under an empty name.
void store_calibration(const std::string& device,
                       const std::vector<DeviceCalibration>& calibration);

}  // namespace kernelbatch
