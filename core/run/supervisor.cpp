#include "core/run/supervisor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "core/base/claims.hpp"
#include "core/base/clock.hpp"
#include "core/base/failpoint.hpp"
#include "core/base/scratch_folder.hpp"
#include "core/base/sha256.hpp"
#include "core/base/text.hpp"
#include "core/base/version.hpp"
#include "core/job/parse_settings.hpp"
#include "core/job/resolved.hpp"
#include "core/result/merge.hpp"
#include "core/result/shard_files.hpp"
#include "core/result/shard_writer.hpp"
#include "core/run/case_passes.hpp"
#include "core/run/compile_ahead.hpp"
#include "core/run/complete_case.hpp"
#include "core/run/duration/estimate.hpp"
#include "core/run/partition.hpp"
#include "core/run/running.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

Supervisor::Supervisor(SupervisorOptions options)
    : options_(std::move(options)), workers_(options_.worker_command, options_.interrupt) {}
Supervisor::~Supervisor() = default;

WorkloadInfo Supervisor::describe(const std::string& plugin) { return workers_.describe(plugin); }

std::vector<double> Supervisor::footprints(const std::string& plugin,
                                           const std::vector<NamedValues>& cases) {
  return workers_.footprints(plugin, cases);
}

void Supervisor::complete(const JobSpec& job, const PlannedWorkload& workload, const RunState& run,
                          CaseRecord& record, const std::vector<ResultRecord>& earlier) const {
  complete_case(record, workload, run.calibration, earlier);
  record.environment = run.environment;
  for (auto& [name, value] : record.environment.values)
    if (name == "argv") value = join(options_.arguments, " ");
  record.environment.values.emplace_back("commit", options_.commit.hash);
  record.environment.values.emplace_back("commit_time", options_.commit.time);
  record.environment.values.emplace_back("branch", options_.commit.branch);
  record.job = {job.name, job.source, resolved_, sha256_hex(job.source)};
}

/// Stores a case in the folder of its part, where a resumed run finds it by its rank.
void Supervisor::store(const Running& running, const PlannedCase& planned,
                       const CaseOutcome& one) const {
  std::vector<OutputData> outputs;
  for (const SpilledArray& array : one.spilled)
    outputs.push_back({array.variant, array.output, array.file.bytes(), array.stride});
  const JobShard& own = options_.shard;
  const fs::path folder =
      folder_of(running.job, planned.rank ? owner_of(*planned.rank, own.count) : own.index);
  KERNELBATCH_FAILPOINT("case.finished");
  constexpr int kTries = 3;
  for (int tries = 1;; ++tries) {
    try {
      write_shard(folder, one.record, outputs,
                  {.deflate = std::min(running.job.output.compress, 9)});
      break;
    } catch (const StoreError&) {
      // The part's own process removes the folder at its end if it is empty.
      if (tries == kTries || fs::exists(folder)) throw;
    }
  }
  KERNELBATCH_FAILPOINT("case.stored");
  running.state.place->add_shard(folder, planned.case_id);
}

MeasureSpec Supervisor::effective_measure(const JobSpec& job) const {
  return options_.is_profile ? for_profiler(job.measure) : job.measure;
}

void Supervisor::report_changes(const std::vector<const PlannedCase*>& cases,
                                RunObserver& observer) const {
  std::set<std::string> changes;
  std::size_t results = 0;
  for (const PlannedCase* planned : cases)
    for (const FinishedResult& known : finished_.of(planned->case_id)) {
      changes.insert(known.changes.begin(), known.changes.end());
      if (!known.changes.empty()) ++results;
    }
  if (results > 0) observer.on_changes(results, {changes.begin(), changes.end()});
}

/// Folder of a part's results. Each part of a job has its own, so that processes never wait for
/// each other.
fs::path Supervisor::folder_of(const JobSpec& job, std::size_t part) const {
  return shard_folder(fs::absolute(output_file(job)), shard_name({part, options_.shard.count}));
}

/// Reads results of earlier runs; a plain run needs only the number of the last one.
void Supervisor::read_finished(const JobSpec& job, const Plan& plan,
                               const std::vector<const PlannedCase*>& cases, RunObserver& observer,
                               std::int64_t& number, const Claims* claims) {
  ingredients_.clear();
  for (const PlannedWorkload& workload : plan.workloads)
    ingredients_.push_back(made_of(workload, effective_measure(job), job.path.parent_path()));
  const fs::path file = fs::absolute(output_file(job));
  finished_ = FinishedResults(file, cases, options_.is_resumed ? kListedResults : 0, ingredients_,
                              plan.searches);
  number = next_run(unix_time_ns(), finished_);
  if (!options_.is_resumed) {
    // Results of other tasks of the array do not count as an earlier run.
    const bool may_share = options_.shard.count > 1 && !fs::exists(file);
    const bool is_joined = !options_.queue.empty() && claims->has_others();
    if (!options_.may_replace && !is_joined) refuse_to_replace(finished_, plan, file, may_share);
    finished_ = FinishedResults();
  }
  done_ = total_ = 0;
  for (const PlannedCase* planned : cases) {
    const std::vector<std::string>& variants = plan.workloads[planned->workload].variants;
    total_ += variants.size();
    done_ += static_cast<std::size_t>(
        std::ranges::count_if(finished_.of(planned->case_id), [&](const FinishedResult& known) {
          return is_final(known, job.limits.retries) &&
                 std::ranges::find(variants, known.variant) != variants.end();
        }));
  }
  for (const PlannedSearch& search : plan.searches)
    if (search.tune().budget->tries > 0) total_ += search.most_tries();
  observer.on_start(done_, total_);
  observer.on_cases(cases);
  report_changes(cases, observer);
}

/// Null if nothing is gained: no further core; host times, which compilers would disturb;
/// kernels of other kinds.
std::unique_ptr<CompileAhead> Supervisor::compilers_for(const JobSpec& job) const {
  const int processes = compile_processes();
  const bool is_on_host = options_.device == "host";
  if (processes == 0 || options_.is_profile || !options_.sanitize.empty() ||
      (is_on_host && job.measure.times))
    return nullptr;
  return std::make_unique<CompileAhead>(options_.worker_command, job, options_.device, processes);
}

/// Kernels of a case that have no final result.
void Supervisor::compile_ahead(Running& running, const PlannedCase& planned, std::size_t order) {
  const PlannedWorkload& workload = running.plan.workloads[planned.workload];
  double bytes = 0;
  try {
    const Footprints footprints = footprints_of(workload, running.job.path.parent_path(),
                                                [this](const auto& plugin, const auto& cases) {
                                                  return workers_.footprints(plugin, cases);
                                                });
    if (footprints) bytes = footprints({planned.params}).front();
  } catch (const Error&) {
    // The case fails when its turn comes.
    return;
  }
  const std::vector<FinishedResult>& known = finished_.of(planned.case_id);
  for (const std::string& variant :
       planned.variants.empty() ? workload.variants : planned.variants) {
    const auto is_of_variant = [&](const FinishedResult& each) {
      return each.variant == variant && is_final(each, running.job.limits.retries);
    };
    if (std::ranges::any_of(known, is_of_variant)) continue;
    running.state.ahead->want({.request = {.case_id = planned.case_id,
                                           .plugin = workload.plugin,
                                           .workload = planned.workload,
                                           .device = options_.device,
                                           .params = planned.params,
                                           .variants = {variant}},
                               .order = order,
                               .bytes = bytes});
  }
}

/// Runs a case, stores it and reports it.
Supervisor::Continue Supervisor::run_case(Running& running, const PlannedCase& planned,
                                          std::vector<FinishedResult> known) {
  const PlannedWorkload& workload = running.plan.workloads[planned.workload];
  const double begin_s = system_seconds();
  if (running.state.ahead != nullptr) running.state.ahead->begin(running.begun++);
  CaseOutcome one = run_passes(running.state, running.job, workload, planned,
                               to_json(ingredients_[planned.workload]), std::move(known));
  // Only the running variant is lost.
  if (one.was_interrupted) {
    running.summary.was_interrupted = true;
    running.summary.interrupted = {planned, one.interrupted, system_seconds() - begin_s};
  }
  std::vector<ResultRecord>& results = one.record.results;
  if (running.state.ahead != nullptr)
    for (ResultRecord& record : results) running.state.ahead->add_compile_time(record);
  // A combination without a valid case does not affect the reference, which comes with the next
  // one.
  if (running.on_result)
    std::erase_if(results, [](const ResultRecord& record) {
      return record.is_reference() &&
             (record.phase == Phase::kInputs || record.phase == Phase::kLoad);
    });
  if (!results.empty()) {
    std::vector<ResultRecord> base = one.earlier;
    std::ranges::copy(running.baselines, std::back_inserter(base));
    complete(running.job, workload, running.state, one.record, base);
    store(running, planned, one);
    running.has_stored = true;
  }
  // Only now, so that every announced result is on disk.
  for (const ResultRecord& record : results) {
    total_ = std::max(total_, ++done_);
    running.state.observer.on_result(record, done_, total_);
  }
  running.summary.resumed += one.earlier.size();
  // The cases of a search were not known at the start.
  if (running.on_result) done_ += one.earlier.size();
  for (std::vector<ResultRecord>* part : {&one.earlier, &results})
    for (ResultRecord& record : *part) {
      if (running.on_result) running.on_result(record);
      running.summary.add(std::move(record), static_cast<bool>(running.on_result));
    }
  const bool is_ended =
      one.was_interrupted || (one.has_failed && workload.spec.verify.on_fail == OnFail::kStopJob);
  return is_ended ? Continue::kNo : Continue::kYes;
}

Supervisor::Continue Supervisor::run_cases(Running& running,
                                           const std::vector<const PlannedCase*>& cases,
                                           FinishedResults& known) {
  const std::size_t begun = running.begun;
  std::size_t wanted = 0;
  for (std::size_t k = 0; k < cases.size(); ++k) {
    if (running.state.ahead != nullptr)
      for (const std::size_t end =
               k + 1 + static_cast<std::size_t>(running.state.ahead->processes());
           wanted < std::min(end, cases.size()); ++wanted)
        compile_ahead(running, *cases[wanted], begun + wanted);
    if (run_case(running, *cases[k], known.take(cases[k]->case_id)) == Continue::kNo)
      return Continue::kNo;
  }
  return Continue::kYes;
}

RunSummary Supervisor::run(const JobSpec& job, const Plan& plan, RunObserver& observer) {
  const fs::path file = fs::absolute(output_file(job));
  const fs::path folder = folder_of(job, options_.shard.index);
  std::vector<const PlannedCase*> cases;
  for (const PlannedCase& planned : plan.cases) cases.push_back(&planned);
  remove_abandoned_scratch_folders();
  OutputPlace place(file, folder, job, cases);
  for (const PlannedWorkload& workload : plan.workloads)
    if (!workload.plugin.empty()) place.watch(workload.plugin);
  RunState state{.workers = workers_,
                 .observer = observer,
                 .purpose = {.device = options_.device,
                             .is_profile = options_.is_profile,
                             .sanitize = options_.sanitize},
                 .place = &place};
  resolved_ = to_yaml(resolved(job, plan));
  Running running{job, plan, state};
  const std::unique_ptr<Claims> claims = claims_of(running);
  running.claims = claims.get();
  const std::unique_ptr<CompileAhead> ahead = compilers_for(job);
  running.state.ahead = ahead.get();
  RunSummary& summary = running.summary;
  summary.file = file;
  const auto merge = [&] {
    const MergeReport report = merge_shards(file, {.source = version_text()});
    for (const SetAsideShard& shard : report.unreadable)
      summary.problems.push_back(fmt::format("{}: {}", shard.path.string(), shard.reason));
  };
  // Results of a killed run: a new shard of the same case would replace them.
  const bool merges = options_.shard.count == 1;
  if (merges && !list_shards(folder).empty()) merge();
  if (job.output.arrays != KeptArrays::kNone)
    state.spill_folder = options_.scratch.empty() ? folder.string() : options_.scratch;
  read_finished(job, plan, cases, observer, state.number, claims.get());
  workers_.use_job(job);
  const Continue goes_on =
      options_.queue.empty() ? run_cases(running, cases, finished_) : run_queue(running);
  if (goes_on == Continue::kYes) run_searches(running);
  std::ranges::move(state.problems, std::back_inserter(summary.problems));
  for (const fs::path& path : place.lost_shards(state.number))
    summary.problems.push_back(fmt::format("{}: was deleted after it was stored", path.string()));
  if (merges && running.has_stored) merge();
  summary.calibration = state.calibration;
  return std::move(summary);
}

fs::path output_file(const JobSpec& job) {
  std::string name = job.output.file;
  for (std::size_t at; (at = name.find("{name}")) != std::string::npos;)
    name.replace(at, 6, job.name);
  return name;
}

}  // namespace kernelbatch
