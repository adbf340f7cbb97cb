#include "core/app/run_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "core/base/clock.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/job/parse.hpp"
#include "core/report/compare.hpp"
#include "core/result/reader.hpp"
#include "core/run/finished_results.hpp"
#include "core/run/kept_runs.hpp"
#include "core/run/supervisor.hpp"

namespace kernelbatch::app {
namespace fs = std::filesystem;

fs::path keep_run(JobSpec& job, const Commit& commit, bool is_resumed) {
  if (!job.output.history) return {};
  const fs::path last = fs::absolute(output_file(job));
  // A requeued batch job keeps its number, and so its file; another job is another run.
  const RunStamp stamp = run_stamp(unix_time_ns());
  fs::path file = is_resumed && !stamp.is_shared ? latest_run_file(last) : fs::path();
  if (file.empty()) file = new_run_file(last, stamp, short_commit(commit));
  job.output.file = file.string();
  return last;
}

std::vector<fs::path> keep_runs(std::vector<JobSpec>& jobs, bool is_resumed) {
  const bool keeps =
      std::ranges::any_of(jobs, [](const JobSpec& job) { return job.output.history; });
  if (keeps) share_run_stamp(run_stamp(unix_time_ns()));
  std::vector<fs::path> last;
  for (JobSpec& job : jobs)
    last.push_back(keep_run(job, commit_of(job.path.parent_path()), is_resumed));
  return last;
}

namespace {

/// Start of the latest of its results; -1 if unknown.
std::int64_t latest_start(const ResultFile& file) {
  std::int64_t latest = -1;
  for (const ResultRecord& result : file.results) latest = std::max(latest, result.start_ns);
  return latest;
}

/// An unreadable file does not count as a later run.
std::int64_t latest_start_of(const fs::path& file, const Parts& parts) {
  try {
    return latest_start(read_results(file, parts));
  } catch (const Error&) {
    return -1;
  }
}

}  // namespace

fs::path publish_merged(const fs::path& file) {
  constexpr std::array<std::string_view, 1> kColumns{"start_time"};
  const Parts parts(Samples::kOmit, false, kColumns);
  const ResultFile merged = read_results(file, parts);
  if (merged.latest_job < 0) return {};
  const JobRecord& record = merged.jobs[static_cast<std::size_t>(merged.latest_job)];
  try {
    if (!parse_job(record.spec_resolved, file).output.history) return {};
  } catch (const SpecError&) {
    return {};  // from another version
  }
  const fs::path last = fs::absolute(file).parent_path().string() + ".h5";
  const fs::path before = previous_run(last);
  if (!before.empty() && before != fs::weakly_canonical(file) &&
      latest_start_of(before, parts) > latest_start(merged))
    return {};
  publish_run(fs::absolute(file), last);
  return last;
}

fs::path previous_run(const fs::path& last) {
  std::error_code none;
  if (last.empty() || !fs::is_symlink(last, none)) return {};
  const fs::path run = fs::weakly_canonical(last, none);
  return fs::exists(run, none) ? run : fs::path();
}

std::string change_text(const fs::path& before, const fs::path& now) {
  ComparedResults compared;
  try {
    const ResultFile a = read_results(before), b = read_results(now);
    compared = compare_results({&a, 1}, {&b, 1}, {});
  } catch (const Error&) {
    return "";  // another job, other devices, or a damaged file: does not affect this run
  }
  constexpr std::size_t kMostShown = 20;
  return fmt::format("Since the last run, {}: {}", visible(before.filename().string()),
                     changes_text(compared, kMostShown));
}

void require_new_results(const JobSpec& job, const Plan& plan) {
  std::vector<const PlannedCase*> cases;
  for (const PlannedCase& planned : plan.cases) cases.push_back(&planned);
  const fs::path file = fs::absolute(output_file(job));
  FinishedResults known;
  try {
    known = FinishedResults(file, cases, 0, {}, plan.searches);
  } catch (const Error&) {
    return;  // the run reports the file's problem
  }
  refuse_to_replace(known, plan, file);
}

}  // namespace kernelbatch::app
