// What earlier runs of a job left on disk: a resumed run does only the rest.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/result/record.hpp"
#include "core/run/made_of.hpp"
#include "core/run/plan.hpp"
#include "core/run/run_summary.hpp"

namespace kernelbatch {

/// A result that is there already: what decides about it.
struct FinishedResult {
  std::string variant;
  Status status = Status::kSkipped;
  bool retryable = false;
  ResultOrder order;
  Summary cold;
  std::int64_t end_ns = -1;
  /// What it was made of that is not as it was: "input x", "measure"; empty where all is.
  std::vector<std::string> changes;
  /// All that a summary prints. Null for right results beyond so many as are listed.
  std::unique_ptr<ResultRecord> whole = nullptr;

  /// `whole`, or what is known of it.
  ResultRecord record() &&;
};

/// Memory for many: of most of more results than a run lists, a hundred bytes each.
class FinishedResults {
 public:
  /// Knows of nothing.
  FinishedResults() = default;
  /// The results of these cases and searches under `output_file`, merged or not; none where there
  /// is no such file. Shards that cannot be read count as missing. Where many tasks left shards,
  /// those of a case are looked for where its number in the plan puts it, and no folder of another
  /// task is listed. Right results beyond `listed` are not kept whole. Throws StoreError or
  /// SpecError where the merged file cannot be read. `ingredients` are what results are made of
  /// today, by workload of the plan; without them every result counts as made of that.
  FinishedResults(const std::filesystem::path& output_file,
                  const std::vector<const PlannedCase*>& cases, std::size_t listed = kListedResults,
                  std::vector<MadeOf> ingredients = {}, std::vector<PlannedSearch> searches = {});

  const std::vector<FinishedResult>& of(const std::string& case_id) const;
  /// Of the latest run that left any of these results, its ResultRecord::run; -1 where none did.
  std::int64_t latest_run() const noexcept { return latest_run_; }
  /// How many cases of searches there are.
  std::size_t searched() const noexcept { return searched_; }
  /// The same, which are then no more here.
  std::vector<FinishedResult> take(const std::string& case_id);
  /// Those of these variants alone.
  std::vector<FinishedResult> take(const std::string& case_id,
                                   const std::vector<std::string>& variants);

 private:
  void read(const std::filesystem::path& output_file, const std::vector<const PlannedCase*>& cases);
  const PlannedSearch* search_of(const ResultRecord& record) const;
  void add(ResultRecord record);

  struct Case {
    std::size_t workload = 0;
    std::vector<FinishedResult> results;
  };
  std::vector<PlannedSearch> searches_;
  std::map<std::string, Case> by_case_;
  std::size_t searched_ = 0;
  std::vector<MadeOf> ingredients_;
  std::int64_t latest_run_ = -1;
  std::size_t listed_ = 0, whole_ = 0;  ///< how many are to be, and are, kept whole
};

/// Throws SpecError where there are results that the plan makes again: they would be replaced.
/// `may_share`: what searches have tried may be another task's of this run.
void refuse_to_replace(const FinishedResults& known, const Plan& plan,
                       const std::filesystem::path& output_file, bool may_share = false);

/// ResultRecord::run of a run that begins now: larger than that of any that left results here,
/// whatever the clock says.
std::int64_t next_run(std::int64_t now_ns, const FinishedResults& earlier) noexcept;

/// Whether a resumed run leaves this result as it is: all but failures of the surroundings, crashes
/// that were not yet tried `retries` times more, and results that were made of something else.
bool is_final(const FinishedResult& result, int retries) noexcept;

}  // namespace kernelbatch
