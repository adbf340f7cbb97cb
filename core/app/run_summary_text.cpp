#include "core/app/run_summary_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "core/app/command.hpp"
#include "core/base/text.hpp"
#include "core/report/failures.hpp"
#include "core/report/table.hpp"
#include "core/report/tuning.hpp"
#include "core/result/reader.hpp"

namespace kernelbatch::app {
namespace fs = std::filesystem;

namespace {

/// Prints the results; if there are too many rows, only failures and a pointer to the rest.
void print_results(const RunSummary& summary, const JobSpec& job, const std::string& again) {
  if (summary.omitted() == 0) {
    const std::size_t tries =
        std::accumulate(summary.of_tries.begin(), summary.of_tries.end(), std::size_t{0});
    fmt::print("{}", results_table(tries == 0 ? summary.results : without_tries(summary.results),
                                   text_format(), again));
    fmt::print("{}{}", tuning_table(summary.results, text_format()), reruns_text(summary.results));
    fmt::print("{}", noise_text(summary.calibration));
    return;
  }
  std::string counts;
  for (std::size_t k = 0; k < kStatusCount; ++k)
    if (summary.of_status[k] > 0)
      counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", summary.of_status[k],
                            to_text(static_cast<Status>(k)));
  std::vector<const ResultRecord*> failures;
  for (const ResultRecord& record : summary.results)
    if (is_failure(record.status)) failures.push_back(&record);
  fmt::print("{}", failures_text(failures, text_format(), again));
  const bool is_merged = fs::exists(summary.file);
  if (summary.of_status[static_cast<std::size_t>(Status::kOk)] > summary.verified)
    counts += fmt::format(" ({} verified)", summary.verified);
  fmt::print("{}: {}; `kernelbatch show {}{}` prints them\n", plural(summary.total, "result"),
             counts, summary.file.string(), is_merged ? "" : ".d");
  const bool is_tuned = std::ranges::any_of(
      job.workloads, [](const WorkloadSpec& workload) { return workload.tune.has_value(); });
  if (is_tuned && is_merged)
    fmt::print(
        "{}",
        tuning_table(read_results(summary.file, {Samples::kOmit, false, table_columns()}).results,
                     text_format()));
  fmt::print("{}", noise_text(summary.calibration));
}

std::string_view where_checked(CheckPlace place) {
  switch (place) {
    case CheckPlace::kGpu:
      return "on the GPU, by compute-sanitizer,";
    case CheckPlace::kBoth:
      return "on the host device and, by compute-sanitizer, on the GPU";
    case CheckPlace::kHost:
      break;
  }
  return "on the host device";
}

}  // namespace

void print_summary(const RunSummary& summary, const JobSpec& job, bool is_gpu,
                   const JobShard& shard, const std::string& again) {
  print_results(summary, job, again);
  if (!job.sanitize.empty())
    fmt::print("Checked {} for {}; nothing was timed.\n", where_checked(job.sanitize.place),
               to_text(job.sanitize.kinds));
  else if (!is_gpu)
    fmt::print("Times are of the host simulation, not of a GPU.\n");
  for (const std::string& remark : summary.remarks) fmt::print("{}\n", visible(remark));
  if (summary.searches_without_result > 0)
    fmt::print("{} of the searches found no correct result.\n", summary.searches_without_result);
  for (const std::string& problem : summary.problems)
    fmt::print("not merged: {}\n", visible(problem));
  if (summary.was_interrupted) fmt::print("Stopped early; finished results are kept.\n");
  if (summary.resumed > 0)
    fmt::print("{} of {} from earlier runs.\n", summary.resumed,
               summary.total == 1 ? "1 result is" : plural(summary.total, "result") + " are");
  if (shard.count > 1)
    fmt::print("Shard {} of {}: results are in {}.d until `kernelbatch merge {}`\n",
               shard.index + 1, shard.count, summary.file.string(), summary.file.string());
  else if (fs::exists(summary.file))
    fmt::print("Results: {}\n", visible(summary.file.string()));
}

}  // namespace kernelbatch::app
