#include "core/result/ceiling.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

/// Ceilings are measured, so a result may exceed one slightly. With fewer bytes, other effects
/// dominate.
constexpr double kCeilingSpread = 1.15, kLeastDoubted = 32 << 20;

/// True for "NVIDIA H200, 16 of 132 SMs" (limits.sms). A few SMs reach a bandwidth that depends on
/// the bytes that a kernel has in flight, so a calibrated one is no limit.
bool is_part_of_gpu(const std::string& device) { return device.ends_with(" SMs"); }

}  // namespace

double ceiling_of(double bytes_read, double bytes_written, const DeviceCalibration& calibration) {
  const double copied = bytes_written + std::min(bytes_read, bytes_written);
  const double read = std::max(0.0, bytes_read - bytes_written);
  return (bytes_read + bytes_written) /
         (copied / calibration.copy_bandwidth + read / calibration.read_bandwidth);
}

void doubt_by_memory(ResultRecord& record, std::span<const DeviceCalibration> calibrations) {
  const double time = record.cold.median;
  if (record.status != Status::kOk || record.device_class() == DeviceClass::kHost || !(time > 0) ||
      !(record.least_bytes >= kLeastDoubted) || is_part_of_gpu(record.device))
    return;
  for (const DeviceCalibration& calibration : calibrations) {
    if (calibration.device != record.device) continue;
    const double most = std::max(calibration.copy_bandwidth, calibration.read_bandwidth);
    const double needed = record.least_bytes / (kCeilingSpread * most);
    if (!(time < needed)) continue;
    record.status = Status::kSuspect;
    record.phase = Phase::kMeasure;
    record.reason = fmt::format(
        "a call takes {}; {} must pass through the memory, which takes {} at {:.0f} GB/s",
        format_seconds(time), format_bytes(static_cast<std::uint64_t>(record.least_bytes)),
        format_seconds(record.least_bytes / most), most / 1e9);
  }
}

void add_ceilings(std::vector<ResultRecord>& results,
                  std::span<const DeviceCalibration> calibrations) {
  for (ResultRecord& record : results)
    for (const DeviceCalibration& calibration : calibrations)
      if (calibration.device == record.device)
        record.ceiling = ceiling_of(record.bytes_read, record.bytes_written, calibration);
}

}  // namespace kernelbatch
