// Measures a device's ceilings and noise at the start of a job: the basis of all shares and
// significant differences.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/measure/timer.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

/// Times an empty launch, and a copy and a read of arrays several times as large as the L2 cache
/// (on the host: the last-level cache), with the engine that times variants. Launches and reads are
/// timed in several blocks, each read with other memory: their expected_difference() is the launch
/// jitter and, relative, the noise floor. Takes about a second; with the preset `quick` less and
/// less accurate. Unless `quick`, it also measures maximum compute and cache read rates.
DeviceCalibration calibrate(TimingTools& tools, const MeasureSpec& measure);

/// The first quiet one of at most `kCalibrations` calibrations; the least noisy if none is quiet.
inline constexpr int kCalibrations = 3;
DeviceCalibration quietest(const std::function<DeviceCalibration()>& calibrate_once);

/// The maximum difference, in 95 % of cases, of two further medians of the same work, estimated
/// from several medians: t(n-1)·√2·s for normal deviations, where s is their standard deviation. In
/// the medians' unit; NaN for fewer than two.
double expected_difference(std::span<const double> medians);

/// Functions that compile all kernels of a calibration into the cache, independently of each other;
/// the device may be compile-only.
std::vector<std::function<void(Device&)>> calibration_parts(const MeasureSpec& measure);

}  // namespace kernelbatch
