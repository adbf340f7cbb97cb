// What earlier runs of a job left on disk: a resumed run does only the rest.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/run/plan.hpp"
#include "core/store/record.hpp"

namespace kernelbatch {

/// Whether tasks of an earlier version, which dealt every k-th case to one of k, left shards here:
/// those that are still to run must go on so.
bool has_numbered_shards(const std::filesystem::path& folder, std::size_t count);

class FinishedResults {
 public:
  /// Knows of nothing.
  FinishedResults() = default;
  /// The results of these cases under `output_file`, merged or not; none where there is no such
  /// file. Shards that cannot be read count as missing. Where many tasks left shards, those of a
  /// case are looked for where its number in the plan puts it, and no folder of another task is
  /// listed. Throws StoreError or SpecError where the merged file cannot be read.
  FinishedResults(const std::filesystem::path& output_file,
                  const std::vector<const PlannedCase*>& cases);

  /// The results of a case, samples left out.
  const std::vector<ResultRecord>& of(const std::string& case_id) const;

 private:
  void read(const std::filesystem::path& output_file, const std::vector<const PlannedCase*>& cases);
  void add(ResultRecord record);

  std::map<std::string, std::vector<ResultRecord>> by_case_;
};

/// Whether a resumed run leaves this result as it is: all but crashes that were not yet tried
/// `retries` times more.
bool is_final(const ResultRecord& record, int retries) noexcept;

}  // namespace kernelbatch
