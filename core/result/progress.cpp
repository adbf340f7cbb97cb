#include "core/result/progress.hpp"

#include <algorithm>
#include <variant>

#include "core/result/locate.hpp"
#include "core/result/reader.hpp"
#include "core/result/shard_writer.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

JobProgress job_progress(const fs::path& path) {
  JobProgress progress;
  {
    const Located located = locate(path);
    progress.shards = static_cast<std::int64_t>(located.shards.size());
    if (located.merged) {
      const auto& ids = located.merged->case_ids();
      progress.merged_cases = static_cast<std::int64_t>(std::set(ids.begin(), ids.end()).size());
    }
  }
  static constexpr std::string_view kCounted[] = {"status", "verified", "workload", "tuned_params",
                                                  "params_json"};
  ResultFile file =
      visit_results(path, {Samples::kOmit, false, kCounted}, [&](const ResultRecord& result) {
        ++progress.results;
        progress.latest_ns = std::max(progress.latest_ns, result.end_ns);
        ++progress.of_status[static_cast<std::size_t>(result.status)];
        if (result.status == Status::kOk && !result.verified) ++progress.unverified;
        progress.variants[result.case_id].insert(result.variant);
        if (!result.tuned.empty())
          progress.tries.push_back({result.workload, result.variant, result.params,
                                    1e-9 * static_cast<double>(result.end_ns - result.start_ns)});
      });
  progress.problems = std::move(file.problems);
  progress.set_aside = list_set_aside(fs::is_directory(path) ? path : shards_folder(path));
  progress.jobs = std::move(file.jobs);
  progress.latest_job = file.latest_job;
  for (const EnvironmentRecord& environment : file.environments) {
    std::string id;
    for (const char* name : {"slurm_array_job_id", "slurm_job_id"})
      for (const auto& [key, value] : environment.values)
        if (id.empty() && key == name && std::holds_alternative<std::string>(value))
          id = std::get<std::string>(value);
    if (!id.empty() && std::ranges::find(progress.slurm_jobs, id) == progress.slurm_jobs.end())
      progress.slurm_jobs.push_back(id);
  }
  return progress;
}

}  // namespace kernelbatch
