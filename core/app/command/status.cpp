// kernelbatch status: progress of a job: cases done, failed, missing, set aside.
#include "core/app/slurm/status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "core/app/command.hpp"
#include "core/app/job_state.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/result/progress.hpp"

namespace kernelbatch::app {
namespace {

/// Maximum number of missing cases listed.
constexpr std::size_t kNamed = 10;

struct StatusOptions {
  std::string path, job;
  bool prints_json = false, is_repeated = false;
  std::size_t interval_s = 30;
};

/// The jobs of `submit`, and other Slurm jobs with results.
std::vector<SlurmTask> tasks_of(std::vector<SlurmSubmission> submissions,
                                const JobProgress& progress) {
  for (const std::string& id : progress.slurm_jobs)
    if (std::ranges::find(submissions, id, &SlurmSubmission::id) == submissions.end())
      submissions.push_back({.id = id});
  return slurm_tasks(submissions);
}

std::string progress_text(const StatusOptions& options, const JobProgress& progress,
                          const JobState& expected) {
  std::string text;
  const auto add = [&]<class... T>(fmt::format_string<T...> form, T&&... values) {
    fmt::format_to(std::back_inserter(text), form, std::forward<T>(values)...);
  };
  add("{}{}\n", options.path,
      expected.name.empty() ? "" : fmt::format(": job '{}'", expected.name));
  if (expected.unknown.empty())
    add("  done       {} of {}\n", expected.done, plural(expected.cases, "case"));
  else
    add("  done       {}; the number of missing cases is unknown: {}\n",
        plural(progress.variants.size(), "case"), expected.unknown);
  for (const SearchState& search : expected.searches)
    add("  search     {} {}: {}{}, budget {}\n", visible_line(search.workload),
        visible_line(search.variant), plural(search.tries, "try"), search.is_done ? " (done)" : "",
        search.budget);
  add("  merged     {}; {} for `kernelbatch merge`\n",
      plural(static_cast<std::uint64_t>(progress.merged_cases), "case"),
      progress.shards == 1
          ? "1 shard waits"
          : plural(static_cast<std::uint64_t>(progress.shards), "shard") + " wait");
  std::string counts;
  for (std::size_t k = 0; k < kStatusCount; ++k)
    if (progress.of_status[k] > 0)
      counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", progress.of_status[k],
                            to_text(static_cast<Status>(k)));
  if (progress.unverified > 0) counts += fmt::format(" ({} UNVERIFIED)", progress.unverified);
  add("  results    {}{}\n", progress.results, counts.empty() ? "" : ": " + counts);
  if (!expected.missing.empty()) add("  missing    {}\n", plural(expected.missing.size(), "case"));
  for (std::size_t k = 0; k < std::min(kNamed, expected.missing.size()); ++k) {
    const MissingCase& each = expected.missing[k];
    add("    {}  {}  {}: {}\n", visible_line(each.case_id), visible_line(each.workload),
        visible_line(kernelbatch::to_text(each.params)), join(each.variants));
  }
  if (expected.missing.size() > kNamed)
    add("    and {} more (--json has all)\n", expected.missing.size() - kNamed);
  if (!progress.set_aside.empty())
    add("  set aside  {}\n", plural(progress.set_aside.size(), "shard"));
  for (const auto& path : progress.set_aside) add("    {}\n", visible_line(path.string()));
  for (const std::string& problem : progress.problems) add("  {}\n", visible(problem));
  return text;
}

std::string json_text(const JobProgress& progress, const JobState& expected,
                      const std::vector<SlurmTask>& tasks) {
  nlohmann::ordered_json json;
  json["job"] = expected.name;
  json["cases"] = expected.unknown.empty() ? nlohmann::ordered_json(expected.cases) : nullptr;
  json["done"] = expected.unknown.empty() ? expected.done : progress.variants.size();
  json["merged_cases"] = progress.merged_cases;
  json["shards"] = progress.shards;
  json["results"] = progress.results;
  json["unverified"] = progress.unverified;
  auto& counts = json["status"] = nlohmann::ordered_json::object();
  for (std::size_t k = 0; k < kStatusCount; ++k)
    counts[std::string(to_text(static_cast<Status>(k)))] = progress.of_status[k];
  auto& missing = json["missing"] = nlohmann::ordered_json::array();
  for (const MissingCase& each : expected.missing)
    missing.push_back({{"case_id", each.case_id},
                       {"workload", each.workload},
                       {"params", kernelbatch::to_text(each.params)},
                       {"variants", each.variants}});
  auto& searches = json["searches"] = nlohmann::ordered_json::array();
  for (const SearchState& search : expected.searches)
    searches.push_back({{"workload", search.workload},
                        {"variant", search.variant},
                        {"tries", search.tries},
                        {"budget", search.budget},
                        {"done", search.is_done}});
  auto& aside = json["set_aside"] = nlohmann::ordered_json::array();
  for (const auto& path : progress.set_aside) aside.push_back(path.string());
  json["problems"] = progress.problems;
  json["unknown"] = expected.unknown;
  json["slurm"] = app::to_json(tasks);
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

/// The state at one time.
struct Snapshot {
  std::string text;
  ExitCode code = ExitCode::kOk;
  bool is_over = false;  ///< nothing will change: all is done, or every task in Slurm has ended
};

ExitCode code_of(const JobProgress& progress, const JobState& state) {
  if (progress.results == 0) return ExitCode::kResumable;
  if (!progress.problems.empty()) return ExitCode::kStoreFailed;
  return state.is_done() ? ExitCode::kOk : ExitCode::kResumable;
}

Snapshot take_snapshot(const StatusOptions& options) {
  const std::vector<SlurmSubmission> submissions = recorded_submissions(options.path);
  JobProgress progress;
  try {
    progress = job_progress(options.path);
  } catch (const SpecError&) {
    // Submitted, but nothing is finished yet.
    if (submissions.empty()) throw;
  }
  const JobState state = job_state(progress, submissions, options.job);
  const std::vector<SlurmTask> tasks = tasks_of(submissions, progress);
  const ExitCode code = code_of(progress, state);
  const bool has_ended = !tasks.empty() && std::ranges::none_of(tasks, &SlurmTask::is_active);
  return {options.prints_json ? json_text(progress, state, tasks)
                              : progress_text(options, progress, state) + slurm_text(tasks),
          code, code != ExitCode::kResumable || has_ended};
}

int show_status(const StatusOptions& options) {
  if (options.prints_json) print_data();
  for (std::string last;;) {
    const Snapshot now = take_snapshot(options);
    if (now.text != last) fmt::print("{}{}", last.empty() ? "" : "\n", now.text);
    if (now.is_over || !options.is_repeated) return static_cast<int>(now.code);
    last = now.text;
    std::fflush(stdout);
    std::this_thread::sleep_for(std::chrono::seconds(options.interval_s));
  }
}

}  // namespace

Command status_command() {
  auto options = std::make_shared<StatusOptions>();
  Command command{
      .name = "status",
      .summary =
          "Show a job's progress: cases done, failed, missing. Exits with 0 if none are "
          "missing, 75 if some are, 6 if a shard cannot be read. Also shows the states of "
          "its Slurm tasks, and why they failed or restarted"};
  command.add(
      {{.names = {"FILE"},
        .help = "Result file, or the folder of its shards",
        .target = &options->path,
        .type = kResultFile,
        .is_required = true},
       {.names = {"--job"},
        .help = "Compare with this job file instead of the stored job",
        .target = &options->job,
        .type = kJobFile},
       {.names = {"--watch"},
        .help = "Repeat until no case is missing or every Slurm task has ended",
        .target = &options->is_repeated,
        .excludes = "--json"},
       {.names = {"--interval"},
        .help = "Seconds between two queries with --watch; only changes are printed",
        .target = &options->interval_s,
        .default_text = std::to_string(options->interval_s),
        .needs = "--watch"},
       {.names = {"--json"}, .help = "JSON instead of text", .target = &options->prints_json}});
  command.examples = {{"kernelbatch status results/quickstart.h5", ""},
                      {"kernelbatch status results/quickstart.h5 --watch", "until it is done"}};
  command.action = [options] { return show_status(*options); };
  return command;
}

}  // namespace kernelbatch::app
