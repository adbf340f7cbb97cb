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
/// half width of its 95 % interval, rate, share of the ceiling, speed-up over the case's baseline,
/// largest error. Results that are not right show no time. Failures are explained below. On a
/// narrow terminal columns go, those that say least first.
/// `job`: the file that the results are of, for a command that runs what failed once more.
std::string results_table(const std::vector<ResultRecord>& results, const TextFormat& format = {},
                          const std::string& job = "");

/// Results that are ok and have a time, and those of them whose outputs all have a reference.
struct VerifiedCount {
  std::size_t timed = 0, verified = 0;
};
VerifiedCount count_verified(const std::vector<ResultRecord>& results);

/// Names of the result columns that results_table(), tuning_table() and launches_table() look at,
/// for Parts: of a large file that is a small part.
std::span<const std::string_view> table_columns() noexcept;

/// A line for each device whose calibration was noisy, of what that means; else nothing.
std::string noise_text(const std::vector<DeviceCalibration>& calibrations);

/// A line on what the column "95 %" does not hold and `compare` takes into account; nothing where
/// there are no times of a GPU.
std::string reruns_text(const std::vector<ResultRecord>& results);

/// Every launch of each result: kernel, grid, block, shared memory, registers, duration.
std::string launches_table(const std::vector<ResultRecord>& results, const TextFormat& format = {});

/// What is wrong with one result, over several lines: case, phase, reason, the likely cause, the
/// worker's last lines; with a `job`, the command that runs it once more.
std::string failure_text(const ResultRecord& record, const TextFormat& format = {},
                         const std::string& job = "");

/// Green for right, red for wrong, yellow for not run.
TextStyle style_of(Status status) noexcept;

/// "1.85x"; empty for NaN.
std::string speedup_text(double speedup);

}  // namespace kernelbatch
