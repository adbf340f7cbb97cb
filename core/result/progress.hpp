// How far a job's results are, whether or not its shards have been merged.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/result/record.hpp"

namespace kernelbatch {

/// A result of a parameter search.
struct ProgressOfTry {
  std::string workload, variant;
  NamedValues params;
  double spent_s = 0;
};

struct JobProgress {
  std::int64_t results = 0, merged_cases = 0, shards = 0;
  std::array<std::int64_t, kStatusCount> of_status{};     ///< results, by Status
  std::map<std::string, std::set<std::string>> variants;  ///< of each case: those with a result
  std::vector<ProgressOfTry> tries;
  std::vector<std::string> problems;             ///< a sentence per unreadable shard
  std::vector<std::filesystem::path> set_aside;  ///< shards that an earlier merge refused
  std::vector<JobRecord> jobs;
  std::int64_t latest_job = -1;         ///< index into `jobs`: of the latest result
  std::vector<std::string> slurm_jobs;  ///< ids of the Slurm jobs and arrays that left results
};

/// `path` as read_results() takes it. A folder whose every shard is unreadable is no error here.
JobProgress job_progress(const std::filesystem::path& path);

}  // namespace kernelbatch
