// What a device can do, measured at the start of a job: the yardstick of every share and
// difference.
#pragma once

#include <span>
#include <vector>

#include "core/run/measure.hpp"
#include "core/store/record.hpp"

namespace kernelbatch {

/// Times an empty launch, a copy and a read of arrays several times as large as the L2 cache (on
/// the host: the last cache) with the engine that times variants. The noise floor is how far, at
/// most, one of several medians of the same work lies from their middle, relative. Takes less than
/// a second; with the preset `quick` less and rougher.
DeviceCalibration calibrate(TimingTools& tools, const MeasureSpec& measure);

/// Compiles all kernels of a calibration into the cache, on a device that may be one that only
/// compiles.
void compile_calibration(Device& device);

/// Bandwidth that work of these declared bytes can reach: what it writes goes, with as much of what
/// it reads, at the speed of a copy; what it reads beyond that at the speed of a read. NaN where
/// either is unknown.
double ceiling_of(double bytes_read, double bytes_written, const DeviceCalibration& calibration);

/// Sets the ceiling of every result that ran on a calibrated device.
void add_ceilings(std::vector<ResultRecord>& results,
                  std::span<const DeviceCalibration> calibrations);

}  // namespace kernelbatch
