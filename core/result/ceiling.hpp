// The bandwidth that a result could have reached on its device.
#pragma once

#include <span>
#include <vector>

#include "core/result/record.hpp"

namespace kernelbatch {

/// Bandwidth that work of these declared bytes can reach: what it writes goes, with as much of what
/// it reads, at the speed of a copy; what it reads beyond that at the speed of a read. NaN where
/// either is unknown.
double ceiling_of(double bytes_read, double bytes_written, const DeviceCalibration& calibration);

/// Makes a result suspect whose least bytes cannot have passed through the memory of its device, as
/// calibrated, in the time that it took. Of the host, whose caches are not flushed, nothing is
/// said.
void doubt_by_memory(ResultRecord& record, std::span<const DeviceCalibration> calibrations);

/// Sets the ceiling of every result that ran on a calibrated device.
void add_ceilings(std::vector<ResultRecord>& results,
                  std::span<const DeviceCalibration> calibrations);

}  // namespace kernelbatch
