// Bandwidth ceiling of a result on its device.
#pragma once

#include <span>
#include <vector>

#include "core/result/record.hpp"

namespace kernelbatch {

/// Bandwidth ceiling for these declared bytes: written bytes and the same number of read bytes at
/// the speed of a copy, further read bytes at the speed of a read. NaN if either speed is unknown.
double ceiling_of(double bytes_read, double bytes_written, const DeviceCalibration& calibration);

/// Makes a result suspect if its least bytes cannot pass through the calibrated device's memory in
/// the measured time. Results of the host, whose caches are not flushed, and of some of a GPU's SMs
/// are not judged.
void doubt_by_memory(ResultRecord& record, std::span<const DeviceCalibration> calibrations);

/// Sets the ceiling of every result that ran on a calibrated device.
void add_ceilings(std::vector<ResultRecord>& results,
                  std::span<const DeviceCalibration> calibrations);

}  // namespace kernelbatch
