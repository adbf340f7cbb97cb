// Summary of a run.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/result/record.hpp"
#include "core/run/plan.hpp"

namespace kernelbatch {

/// Maximum number of results kept for printing; the file has all.
inline constexpr std::size_t kListedResults = 10'000;

/// The case that was running when a run was interrupted.
struct InterruptedCase {
  PlannedCase planned;
  std::string variant;  ///< empty before the first one
  double seconds = 0;   ///< since the case began
};

struct RunSummary {
  /// In the plan's order: the first `listed` results, and of the rest the failures, up to a
  /// twentieth of the number. Without samples, launches and kernels.
  std::vector<ResultRecord> results;
  std::array<std::size_t, kStatusCount> of_status{};  ///< all results, by Status
  /// Tries of searches among them: a failed try is not a failure of the run.
  std::array<std::size_t, kStatusCount> of_tries{};
  std::size_t searches_without_result = 0;  ///< searches without a correct result
  std::vector<std::string> remarks;         ///< on searches
  std::size_t total = 0;                    ///< results
  std::size_t verified = 0;  ///< results that are ok and whose outputs all have a reference
  std::size_t resumed = 0;   ///< results of earlier runs among them
  std::size_t listed = kListedResults;
  std::filesystem::path file;                  ///< the merged result file
  std::vector<DeviceCalibration> calibration;  ///< of this run, if it had one
  std::vector<std::string> problems;           ///< shards that could not be merged
  bool was_interrupted = false;
  std::optional<InterruptedCase> interrupted;

  void add(ResultRecord record, bool is_try = false);
  /// Number of results that were not kept.
  std::size_t omitted() const noexcept { return total - results.size(); }
  ExitCode exit_code() const noexcept;
};

/// Removes details that a summary does not print: samples, launches, kernels, and the help and hash
/// of outputs.
void leave_out_details(ResultRecord& record);

/// True for failures: neither successful nor excluded by the device or the job.
bool is_failure(Status status) noexcept;

}  // namespace kernelbatch
