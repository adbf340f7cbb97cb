#include "core/result/ceiling.hpp"

#include <algorithm>

namespace kernelbatch {

double ceiling_of(double bytes_read, double bytes_written, const DeviceCalibration& calibration) {
  const double copied = bytes_written + std::min(bytes_read, bytes_written);
  const double read = std::max(0.0, bytes_read - bytes_written);
  return (bytes_read + bytes_written) /
         (copied / calibration.copy_bandwidth + read / calibration.read_bandwidth);
}

void add_ceilings(std::vector<ResultRecord>& results,
                  std::span<const DeviceCalibration> calibrations) {
  for (ResultRecord& record : results)
    for (const DeviceCalibration& calibration : calibrations)
      if (calibration.device == record.device)
        record.ceiling = ceiling_of(record.bytes_read, record.bytes_written, calibration);
}

}  // namespace kernelbatch
