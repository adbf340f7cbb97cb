#include "core/run/finished_results.hpp"

#include "core/store/reader.hpp"
#include "core/store/shard_files.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

FinishedResults::FinishedResults(const fs::path& output_file) {
  if (!fs::exists(output_file) && list_shards(fs::path(output_file) += ".d").empty()) return;
  for (ResultRecord& record : read_results(output_file, Samples::kOmit).results)
    by_case_[record.case_id].push_back(std::move(record));
}

const std::vector<ResultRecord>& FinishedResults::of(const std::string& case_id) const {
  static const std::vector<ResultRecord> kNone;
  const auto found = by_case_.find(case_id);
  return found == by_case_.end() ? kNone : found->second;
}

bool is_final(const ResultRecord& record, int retries) noexcept {
  return record.status != Status::kCrashed || record.attempt > retries;
}

}  // namespace kernelbatch
