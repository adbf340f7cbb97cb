// Progress of a job's results, merged or not.
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

/// A try of a parameter search.
struct ProgressOfTry {
  std::string workload, variant;
  NamedValues params;
  double spent_s = 0;
};

struct JobProgress {
  std::int64_t results = 0, merged_cases = 0, shards = 0;
  std::array<std::int64_t, kStatusCount> of_status{};  ///< results, by Status
  std::int64_t unverified = 0;  ///< results that are ok, with an output that has no reference
  std::map<std::string, std::set<std::string>> variants;  ///< by case: variants with a result
  std::vector<ProgressOfTry> tries;
  std::vector<std::string> problems;             ///< one per unreadable shard
  std::vector<std::filesystem::path> set_aside;  ///< shards that an earlier merge refused
  std::vector<JobRecord> jobs;
  std::int64_t latest_job = -1;         ///< job of the latest result, index into `jobs`
  std::int64_t latest_ns = -1;          ///< end of the latest result
  std::vector<std::string> slurm_jobs;  ///< IDs of the Slurm jobs and arrays with results
};

/// `path` as in read_results(). A folder with only unreadable shards is no error here.
JobProgress job_progress(const std::filesystem::path& path);

}  // namespace kernelbatch
