// kernelbatch status: progress of a job: cases done, failed, missing, set aside.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/app/command.hpp"
#include "core/app/slurm_status.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/job/parse.hpp"
#include "core/result/progress.hpp"
#include "core/run/plan.hpp"
#include "core/run/supervisor.hpp"

namespace kernelbatch::app {
namespace {

/// Maximum number of missing cases listed.
constexpr std::size_t kNamed = 10;
/// Any number of cases: the job was accepted when it ran.
constexpr std::size_t kAnyCases = std::size_t{1} << 40;

struct StatusOptions {
  std::string path, job;
  bool prints_json = false;
};

struct MissingCase {
  std::string case_id, workload;
  NamedValues params;
  std::vector<std::string> variants;
};

/// A search of the job and its progress.
struct SearchState {
  std::string workload, variant, budget;
  std::size_t tries = 0, most_tries = 0;  ///< most_tries 0: it has a time budget
  bool is_done = false;
};

/// The job's cases, compared with the results.
struct Expected {
  std::string name;
  std::size_t cases = 0, done = 0;
  std::vector<MissingCase> missing;
  std::vector<SearchState> searches;
  std::string unknown;  ///< why the job cannot be planned here; empty if it can
};

Plan plan_of(const JobSpec& job) {
  Supervisor asker({.worker_command = worker_command(), .arguments = {}, .device = {}});
  return make_plan(
      job, [&](const std::string& plugin) { return asker.describe(plugin); }, kAnyCases);
}

/// The job of the latest result; null if the file has none.
const JobRecord* latest_job(const JobProgress& progress) {
  return progress.latest_job < 0 ? nullptr
                                 : &progress.jobs[static_cast<std::size_t>(progress.latest_job)];
}

SearchState state_of(const PlannedSearch& search, const std::string& workload,
                     const JobProgress& progress) {
  const TuneBudget& budget = *search.tune().budget;
  SearchState state{.workload = workload, .variant = search.variant(), .budget = to_text(budget)};
  double spent = 0;
  for (const ProgressOfTry& each : progress.tries) {
    if (each.workload != workload || each.variant != state.variant ||
        !search.is_of_this_problem(each.params) || !search.configuration_of(each.params))
      continue;
    ++state.tries;
    spent += each.spent_s;
  }
  const std::size_t most = search.most_tries();
  if (budget.tries > 0) state.most_tries = most;
  state.is_done = state.tries >= most || (budget.seconds > 0 && spent >= budget.seconds);
  return state;
}

Expected expected_of(const JobProgress& progress, const StatusOptions& options) {
  Expected expected;
  const JobRecord* latest = latest_job(progress);
  if (options.job.empty() && latest == nullptr) {
    expected.unknown =
        progress.results == 0 ? "there are no results yet" : "the results do not record their job";
    return expected;
  }
  try {
    const JobSpec job = options.job.empty() ? parse_job(latest->spec_resolved, "the stored job")
                                            : load_job(options.job);
    expected.name = options.job.empty() ? latest->name : job.name;
    const Plan plan = plan_of(job);
    expected.cases = plan.cases.size();
    for (const PlannedCase& planned : plan.cases) {
      const PlannedWorkload& workload = plan.workloads[planned.workload];
      const auto found = progress.variants.find(planned.case_id);
      std::vector<std::string> missing;
      for (const std::string& variant : workload.variants)
        if (found == progress.variants.end() || !found->second.contains(variant))
          missing.push_back(variant);
      if (missing.empty())
        ++expected.done;
      else
        expected.missing.push_back(
            {planned.case_id, workload.name, planned.params, std::move(missing)});
    }
    for (const PlannedSearch& search : plan.searches)
      expected.searches.push_back(
          state_of(search, plan.workloads[search.workload()].name, progress));
  } catch (const Error& error) {
    // An error in the user's own job is reported.
    if (!options.job.empty()) throw;
    expected.name = latest->name;
    expected.unknown = error.what();
  }
  return expected;
}

/// The jobs of `submit`, and other Slurm jobs with results.
std::vector<SlurmTask> tasks_of(const std::string& path, const JobProgress& progress) {
  std::vector<std::string> jobs = noted_submissions(path);
  for (const std::string& job : progress.slurm_jobs)
    if (std::ranges::find(jobs, job) == jobs.end()) jobs.push_back(job);
  return slurm_tasks(jobs);
}

void print_text(const StatusOptions& options, const JobProgress& progress,
                const Expected& expected) {
  fmt::print("{}{}\n", options.path,
             expected.name.empty() ? "" : fmt::format(": job '{}'", expected.name));
  if (expected.unknown.empty())
    fmt::print("  done       {} of {}\n", expected.done, plural(expected.cases, "case"));
  else
    fmt::print("  done       {}; the number of missing cases is unknown: {}\n",
               plural(progress.variants.size(), "case"), expected.unknown);
  for (const SearchState& search : expected.searches)
    fmt::print("  search     {} {}: {}{}, budget {}\n", visible_line(search.workload),
               visible_line(search.variant), plural(search.tries, "try"),
               search.is_done ? " (done)" : "", search.budget);
  fmt::print("  merged     {}; {} for `kernelbatch merge`\n",
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
  fmt::print("  results    {}{}\n", progress.results, counts.empty() ? "" : ": " + counts);
  if (!expected.missing.empty())
    fmt::print("  missing    {}\n", plural(expected.missing.size(), "case"));
  for (std::size_t k = 0; k < std::min(kNamed, expected.missing.size()); ++k) {
    const MissingCase& each = expected.missing[k];
    fmt::print("    {}  {}  {}: {}\n", visible_line(each.case_id), visible_line(each.workload),
               visible_line(kernelbatch::to_text(each.params)), join(each.variants));
  }
  if (expected.missing.size() > kNamed)
    fmt::print("    and {} more (--json has all)\n", expected.missing.size() - kNamed);
  if (!progress.set_aside.empty())
    fmt::print("  set aside  {}\n", plural(progress.set_aside.size(), "shard"));
  for (const auto& path : progress.set_aside) fmt::print("    {}\n", visible_line(path.string()));
  for (const std::string& problem : progress.problems) fmt::print("  {}\n", visible(problem));
}

void print_json(const JobProgress& progress, const Expected& expected,
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
  print_data();
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

int show_status(const StatusOptions& options) {
  JobProgress progress;
  try {
    progress = job_progress(options.path);
  } catch (const SpecError&) {
    // Submitted, but nothing is finished yet.
    if (noted_submissions(options.path).empty()) throw;
  }
  const Expected expected = expected_of(progress, options);
  const std::vector<SlurmTask> tasks = tasks_of(options.path, progress);
  if (options.prints_json) {
    print_json(progress, expected, tasks);
  } else {
    print_text(options, progress, expected);
    print_slurm_tasks(tasks);
  }
  if (progress.results == 0) return static_cast<int>(ExitCode::kResumable);
  if (!progress.problems.empty()) return static_cast<int>(ExitCode::kStoreFailed);
  const bool is_done =
      expected.missing.empty() && std::ranges::all_of(expected.searches, &SearchState::is_done);
  return static_cast<int>(is_done ? ExitCode::kOk : ExitCode::kResumable);
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
       {.names = {"--json"}, .help = "JSON instead of text", .target = &options->prints_json}});
  command.examples = {{"kernelbatch status results/quickstart.h5", ""}};
  command.action = [options] { return show_status(*options); };
  return command;
}

}  // namespace kernelbatch::app
