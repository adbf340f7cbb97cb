#include "core/app/job_state.hpp"

#include <algorithm>

#include "core/app/command.hpp"
#include "core/base/error.hpp"
#include "core/job/parse.hpp"
#include "core/run/plan.hpp"
#include "core/run/supervisor.hpp"

namespace kernelbatch::app {
namespace {

/// Any number of cases: the job was accepted when it ran.
constexpr std::size_t kAnyCases = std::size_t{1} << 40;

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

/// Counts done and missing cases.
void add_cases(JobState& state, const Plan& plan, const JobProgress& progress) {
  state.cases = plan.cases.size();
  for (const PlannedCase& planned : plan.cases) {
    const PlannedWorkload& workload = plan.workloads[planned.workload];
    const auto found = progress.variants.find(planned.case_id);
    std::vector<std::string> missing;
    for (const std::string& variant : workload.variants)
      if (found == progress.variants.end() || !found->second.contains(variant))
        missing.push_back(variant);
    if (missing.empty())
      ++state.done;
    else
      state.missing.push_back({planned.case_id, workload.name, planned.params, std::move(missing)});
  }
}

/// The resolved job of the latest submission or result; empty if there is neither.
std::string latest_text(const JobProgress& progress,
                        const std::vector<SlurmSubmission>& submissions) {
  const JobRecord* of_result = latest_job(progress);
  const auto last = std::ranges::find_if(
      submissions.rbegin(), submissions.rend(),
      [](const SlurmSubmission& submission) { return !submission.job.empty(); });
  if (last != submissions.rend() && (of_result == nullptr || last->time_ns > progress.latest_ns))
    return last->job;
  return of_result == nullptr ? "" : of_result->spec_resolved;
}

}  // namespace

SearchState search_state(const PlannedSearch& search, const std::string& workload,
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

bool JobState::is_done() const {
  return missing.empty() && std::ranges::all_of(searches, &SearchState::is_done);
}

JobState job_state(const JobProgress& progress, const std::vector<SlurmSubmission>& submissions,
                   const std::string& job_file) {
  JobState state;
  const std::string stored = job_file.empty() ? latest_text(progress, submissions) : "";
  if (job_file.empty() && stored.empty()) {
    state.unknown =
        progress.results == 0 ? "there are no results yet" : "the results do not record their job";
    return state;
  }
  try {
    const JobSpec job = job_file.empty() ? parse_job(stored, "the stored job") : load_job(job_file);
    state.name = job.name;
    const Plan plan = plan_of(job);
    add_cases(state, plan, progress);
    for (const PlannedSearch& search : plan.searches)
      state.searches.push_back(
          search_state(search, plan.workloads[search.workload()].name, progress));
  } catch (const Error& error) {
    // An error in the user's own job is reported.
    if (!job_file.empty()) throw;
    if (const JobRecord* job = latest_job(progress); job != nullptr) state.name = job->name;
    state.unknown = error.what();
  }
  return state;
}

}  // namespace kernelbatch::app
