// What a device can do, measured at the start of a job: the yardstick of every share and
// difference.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/measure/timer.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

/// Times an empty launch, a copy and a read of arrays several times as large as the L2 cache (on
/// the host: the last cache) with the engine that times variants. Launches and reads are timed in
/// several blocks, each read of other memory: their expected_difference() is the launch jitter and,
/// relative, the noise floor. Takes about a second; with the preset `quick` less and rougher. A
/// noisy one is repeated. But for `quick` it also times what the device computes and reads from its
/// cache at most.
DeviceCalibration calibrate(TimingTools& tools, const MeasureSpec& measure);

/// The first quiet of at most `kCalibrations` calibrations; where none is, the least noisy.
inline constexpr int kCalibrations = 3;
DeviceCalibration quietest(const std::function<DeviceCalibration()>& calibrate_once);

/// What two more medians of the same work will differ by at most, in 95 % of cases, where several
/// were found: t(n-1)·√2·s, of normal deviations, with s their standard deviation. In the medians'
/// unit; NaN for fewer than two.
double expected_difference(std::span<const double> medians);

/// Compiles all kernels of a calibration into the cache, on a device that may be one that only
/// compiles.
void compile_calibration(Device& device, const MeasureSpec& measure);

}  // namespace kernelbatch
