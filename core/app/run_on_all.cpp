#include "core/app/run_on_all.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "core/app/command.hpp"
#include "core/app/run_file.hpp"
#include "core/app/slurm/allocation.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/base/version.hpp"
#include "core/device/device_list.hpp"
#include "core/report/table.hpp"
#include "core/result/merge.hpp"
#include "core/result/reader.hpp"
#include "core/result/shard_files.hpp"
#include "core/result/shard_writer.hpp"
#include "core/run/kept_runs.hpp"
#include "core/run/supervisor.hpp"

namespace kernelbatch::app {
namespace fs = std::filesystem;

std::vector<std::string> devices_of(const std::string& processes, const std::vector<JobSpec>& jobs,
                                    const std::optional<SlurmAllocation>& allocation) {
  const std::string& selector = jobs.front().device.text;
  for (const JobSpec& job : jobs)
    if (job.device.text != selector)
      throw SpecError("--jobs: these jobs need different devices; run them one after another");
  // Ranks of one node already have their own devices.
  const bool is_rank = allocation && allocation->local_ranks > 1;
  if (is_rank && processes != "auto")
    throw SpecError(
        fmt::format("--jobs {}: this is one of {} ranks of the node, which share the GPUs among "
                    "themselves",
                    processes, allocation->local_ranks));
  const bool has_gpus = !is_rank && (!allocation || allocation->has_gpus());
  return devices_for(processes, selector,
                     has_gpus ? granted_devices() : std::vector<std::string>{});
}

int run_on_all(std::vector<JobSpec> jobs, const SpreadRun& run, bool is_resumed, bool is_quiet) {
  const std::vector<fs::path> last = keep_runs(jobs, is_resumed);
  int code = run_spread(run);
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    const fs::path file = fs::absolute(output_file(jobs[k]));
    if (run.shard.count > 1) {
      fmt::print("Shard {} of {}, as {}: results are in {}.d until `kernelbatch merge {}`\n",
                 run.shard.index + 1, run.shard.count, run.devices.size(), file.string(),
                 file.string());
      continue;
    }
    if (!fs::exists(file) && list_shards(shards_folder(file)).empty()) continue;
    const MergeReport report = merge_shards(file, {.source = version_text()});
    for (const SetAsideShard& bad : report.unreadable)
      fmt::print("not merged: {}: {}\n", visible(bad.path.string()), visible(bad.reason));
    if (!report.unreadable.empty() && code == 0) code = static_cast<int>(ExitCode::kStoreFailed);
    if (!is_quiet) {
      const ResultFile merged = read_results(file, {Samples::kOmit, false, table_columns()});
      fmt::print("{}{}", results_table(merged.results, text_format()),
                 noise_text(merged.calibration));
    }
    if (!last[k].empty()) publish_run(file, last[k]);
    fmt::print("Results: {}\n", visible(file.string()));
  }
  return code;
}

}  // namespace kernelbatch::app
