// Results as text tables.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/text_table.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

/// One block per case (its workload and parameters), one row per variant: status, median with the
/// half-width of its 95 % interval, rate, share of the ceiling, speed-up over the case's baseline,
/// largest error. Incorrect results have no time. Failures are explained below. On a narrow
/// terminal, the least informative columns are dropped first. `again`: see failures.hpp.
std::string results_table(const std::vector<ResultRecord>& results, const TextFormat& format = {},
                          const std::string& again = "");

/// Number of ok results with a time, and of those whose outputs all have a reference.
struct VerifiedCount {
  std::size_t timed = 0, verified = 0;
};
VerifiedCount count_verified(const std::vector<ResultRecord>& results);

/// Result columns that results_table(), tuning_table() and launches_table() read, for Parts; a
/// small part of a large file.
std::span<const std::string_view> table_columns();

/// A line for each device with a noisy calibration, with the consequences; else empty.
std::string noise_text(const std::vector<DeviceCalibration>& calibrations);

/// A line on variation that the "95 %" column does not include and `compare` does; empty if there
/// are no GPU times.
std::string reruns_text(const std::vector<ResultRecord>& results);

/// Every launch of each result: kernel, grid, block, shared memory, registers, duration.
std::string launches_table(const std::vector<ResultRecord>& results, const TextFormat& format = {});

/// Green for correct, red for wrong, yellow for not run.
TextStyle style_of(Status status) noexcept;

}  // namespace kernelbatch
