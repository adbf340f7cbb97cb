// What a run says of itself at its end.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

/// Results that a run holds to print them; of a larger one the file has them all.
inline constexpr std::size_t kListedResults = 10'000;

struct RunSummary {
  /// In the plan's order: the first `listed` of them, and of the rest those that went wrong, while
  /// they are fewer than a twentieth. Without samples, launches and kernels.
  std::vector<ResultRecord> results;
  std::array<std::size_t, kStatusCount> of_status{};  ///< all results, by Status
  /// Of these, tries of searches: one that does not run costs the search a try, and no more.
  std::array<std::size_t, kStatusCount> of_tries{};
  std::size_t fruitless = 0;         ///< searches in which nothing was right
  std::vector<std::string> remarks;  ///< on searches
  std::size_t total = 0;             ///< results
  std::size_t verified = 0;          ///< results that are ok and whose outputs all have a reference
  std::size_t resumed = 0;           ///< how many of them are an earlier run's
  std::size_t listed = kListedResults;
  std::filesystem::path file;                  ///< the merged result file
  std::vector<DeviceCalibration> calibration;  ///< of this run, if it had one
  std::vector<std::string> problems;           ///< shards that could not be merged
  bool was_interrupted = false;

  void add(ResultRecord record, bool is_try = false);
  /// How many results were not kept.
  std::size_t omitted() const noexcept { return total - results.size(); }
  ExitCode exit_code() const noexcept;
};

/// Takes away what a summary does not print: samples, launches, kernels, the outputs' help and
/// hash.
void leave_out_details(ResultRecord& record);

/// Ended neither well nor as the device or the job made it.
bool is_failure(Status status) noexcept;

}  // namespace kernelbatch
