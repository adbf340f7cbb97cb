// Results of earlier runs of a job on disk; a resumed run does only the rest.
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

/// An existing result: the data that decide whether it is final.
struct FinishedResult {
  std::string variant;
  Status status = Status::kSkipped;
  bool retryable = false;
  ResultOrder order;
  Summary cold;
  std::int64_t end_ns = -1;
  /// Ingredients that have changed since: "input x", "measure"; empty if none.
  std::vector<std::string> changes;
  /// Everything that a summary prints. Null for correct results beyond the listed number.
  std::unique_ptr<ResultRecord> whole = nullptr;

  /// `whole`, or a record of the known data.
  ResultRecord record() &&;
};

/// Results of earlier runs. If there are more than a run lists, most take about a hundred bytes
/// each.
class FinishedResults {
 public:
  /// No results.
  FinishedResults() = default;
  /// Reads the results of these cases and searches under `output_file`, merged or not; none if the
  /// file does not exist. Unreadable shards count as missing. If many tasks left shards, those of a
  /// case are read from the folder given by its rank in the plan, without listing other folders.
  /// Correct results beyond `listed` are not kept whole. Throws StoreError or SpecError if the
  /// merged file is unreadable. `ingredients` are the current ingredients by workload of the plan;
  /// without them every result counts as up to date.
  FinishedResults(const std::filesystem::path& output_file,
                  const std::vector<const PlannedCase*>& cases, std::size_t listed = kListedResults,
                  std::vector<MadeOf> ingredients = {}, std::vector<PlannedSearch> searches = {});

  const std::vector<FinishedResult>& of(const std::string& case_id) const;
  /// ResultRecord::run of the latest run with any of these results; -1 if none.
  std::int64_t latest_run() const noexcept { return latest_run_; }
  /// Number of cases of searches.
  std::size_t searched() const noexcept { return searched_; }
  /// Like of(), and removes the results.
  std::vector<FinishedResult> take(const std::string& case_id);
  /// Takes only the results of these variants.
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
  std::size_t listed_ = 0, whole_ = 0;  ///< maximum and actual number of results kept whole
};

/// Throws SpecError if the plan would replace existing results. `may_share`: tries of searches may
/// be from other tasks of this run.
void refuse_to_replace(const FinishedResults& known, const Plan& plan,
                       const std::filesystem::path& output_file, bool may_share = false);

/// ResultRecord::run of a new run: larger than that of any earlier run here, whatever the clock's
/// value.
std::int64_t next_run(std::int64_t now_ns, const FinishedResults& earlier) noexcept;

/// True if a resumed run keeps this result: all but environment failures, crashes with fewer than
/// `retries` retries, and results with other ingredients.
bool is_final(const FinishedResult& result, int retries) noexcept;

}  // namespace kernelbatch
