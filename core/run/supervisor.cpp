#include "core/run/supervisor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "core/base/failpoint.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/job/resolved.hpp"
#include "core/plugin/describe.hpp"
#include "core/run/calibration.hpp"
#include "core/run/environment_record.hpp"
#include "core/run/output_place.hpp"
#include "core/run/partition.hpp"
#include "core/store/json.hpp"
#include "core/store/merge.hpp"
#include "core/store/shard_files.hpp"
#include "core/store/shard_writer.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

/// Loading a plugin and asking what it declares.
constexpr double kDescribeSeconds = 60;
/// Compiling the calibration's kernels, and a second of measuring.
constexpr double kCalibrateSeconds = 60;

Clock::time_point after(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string frame_of(const char* op, const char* key, const std::string& value) {
  return nlohmann::json{{"op", op}, {key, value}}.dump();
}

}  // namespace

RunObserver::~RunObserver() = default;

void RunObserver::on_calibration(const DeviceCalibration&) {}

/// One case in progress.
struct Supervisor::CaseState {
  const PlannedWorkload* workload = nullptr;
  std::vector<std::string> pending;    ///< variants without a result
  std::map<std::string, int> crashes;  ///< per variant
  std::string variant, phase;          ///< what the worker is doing
  int attempt = 1, retries = 0;
  CaseRecord record;
  std::vector<std::pair<std::string, SpilledOutput>> spilled;  ///< variant, output
  std::vector<ResultRecord> earlier;                           ///< final results of earlier runs
  std::string made_of;                                         ///< ResultRecord::made_of
  bool was_interrupted = false, has_failed = false;
};

Supervisor::Supervisor(SupervisorOptions options) : options_(std::move(options)) {}
Supervisor::~Supervisor() = default;

WorkerProcess& Supervisor::worker() {
  if (!worker_) worker_ = std::make_unique<WorkerProcess>(options_.worker_command);
  return *worker_;
}

/// What a worker says of a plugin, asked before anything runs.
WorkerMessage Supervisor::ask(const std::string& frame, const std::string& event,
                              const std::string& plugin) {
  const std::string file = fs::path(plugin).filename();
  worker().send(frame);
  WorkerMessage message;
  const auto outcome = worker().receive(after(kDescribeSeconds), options_.interrupt, message);
  if (outcome == WorkerProcess::Outcome::kMessage && message.event == event) return message;
  std::string reason = message.text;
  if (outcome == WorkerProcess::Outcome::kDied)
    reason = fmt::format("{}: crashes while it is loaded: {}", file, worker_->end());
  else if (outcome == WorkerProcess::Outcome::kTimedOut)
    reason = fmt::format("{}: does not finish loading within {} s", file, kDescribeSeconds);
  if (outcome != WorkerProcess::Outcome::kMessage) worker_.reset();
  if (outcome == WorkerProcess::Outcome::kInterrupted)
    throw Error(ExitCode::kResumable, "stopped before the first case");
  throw SpecError(reason);
}

WorkloadInfo Supervisor::describe(const std::string& plugin) {
  return workload_info_from_json(
      ask(frame_of("describe", "plugin", plugin), "described", plugin).text);
}

std::vector<double> Supervisor::footprints(const std::string& plugin,
                                           const std::vector<NamedValues>& cases) {
  nlohmann::json frame{{"op", "footprints"}, {"plugin", plugin}};
  for (const NamedValues& values : cases) frame["cases"].push_back(to_json(values));
  const auto bytes = nlohmann::json::parse(ask(frame.dump(), "footprints", plugin).text)
                         .get<std::vector<double>>();
  if (bytes.size() != cases.size()) throw SpecError(plugin + ": answers for other cases");
  return bytes;
}

ResultRecord Supervisor::failure_of(const PlannedCase& planned, const PlannedWorkload& workload,
                                    const std::string& variant) const {
  ResultRecord record;
  record.case_id = planned.case_id;
  record.workload = workload.info.name;
  record.workload_version = workload.info.version;
  record.variant = variant;
  for (const VariantDeclaration& each : workload.info.variants)
    if (each.name == variant) record.kind = to_text(each.kind);
  record.params = planned.params;
  record.device = options_.device;
  record.status = Status::kFailed;
  record.start_ns = record.end_ns = now_ns();
  return record;
}

void Supervisor::add_result(CaseState& state, ResultRecord record) {
  std::erase(state.pending, record.variant);
  if (record.status == Status::kVerificationFailed) state.has_failed = true;
  record.run = run_;
  record.made_of = state.made_of;
  record.attempt = state.attempt;
  if (const auto& tune = state.workload->spec.tune)
    for (const Scalar& name : tune->params)
      record.tuned += (record.tuned.empty() ? "" : " ") + name.text;
  state.record.results.push_back(std::move(record));
}

/// One request to one worker. Returns whether the case needs another: some variants are still
/// pending.
bool Supervisor::run_once(const PlannedCase& planned, const std::string& request, double timeout_s,
                          CaseState& state, RunObserver& observer) {
  state.variant.clear();
  state.phase = "load";
  if (!worker().send(frame_of("case", "case", request))) {
    // It ended between two cases; a fresh one gets the same request.
    worker_.reset();
    worker().send(frame_of("case", "case", request));
  }
  Clock::time_point deadline = after(timeout_s);
  const auto fail_pending = [&](Status status, const std::string& reason,
                                const std::string& detail) {
    // Before the first variant nothing of the case can work; after that it is one variant's fault.
    const bool is_one =
        !state.variant.empty() &&
        std::find(state.pending.begin(), state.pending.end(), state.variant) != state.pending.end();
    const std::vector<std::string> failed =
        is_one ? std::vector<std::string>{state.variant} : state.pending;
    for (const std::string& variant : failed) {
      ResultRecord record = failure_of(planned, *state.workload, variant);
      record.status = status;
      record.phase = state.phase;
      record.reason = is_one || state.variant.empty()
                          ? reason
                          : fmt::format("the reference '{}' failed: {}", state.variant, reason);
      record.detail = detail;
      add_result(state, std::move(record));
    }
  };
  for (;;) {
    WorkerMessage message;
    switch (worker_->receive(deadline, options_.interrupt, message)) {
      case WorkerProcess::Outcome::kInterrupted:
        state.was_interrupted = true;
        worker_.reset();
        return false;
      case WorkerProcess::Outcome::kTimedOut: {
        const std::string lines = worker_->last_lines();
        worker_.reset();
        if (state.phase == "calibrate") return true;
        fail_pending(Status::kTimedOut,
                     fmt::format("no end after {:.4g} s (limits.timeout), in phase '{}'", timeout_s,
                                 state.phase),
                     lines);
        return !state.pending.empty();
      }
      case WorkerProcess::Outcome::kDied: {
        const std::string end = worker_->end();
        const std::string lines = worker_->last_lines();
        worker_.reset();
        // A job can do without.
        if (state.phase == "calibrate") return true;
        if (state.crashes[state.variant]++ < state.retries) {
          ++state.attempt;
          return true;
        }
        fail_pending(Status::kCrashed,
                     fmt::format("the worker ended in phase '{}': {}", state.phase, end), lines);
        return !state.pending.empty();
      }
      case WorkerProcess::Outcome::kMessage:
        break;
    }
    if (message.event == "calibrated") {
      calibration_ = case_from_json(message.text).calibration;
      for (const DeviceCalibration& calibration : calibration_)
        observer.on_calibration(calibration);
      deadline = after(timeout_s);
    } else if (message.event == "phase") {
      if (message.phase == "calibrate") {
        // Not the case's time; once, whether or not it works.
        was_calibrated_ = true;
        deadline = after(std::max(timeout_s, kCalibrateSeconds));
      }
      if (message.variant != state.variant) deadline = after(timeout_s);
      state.variant = message.variant;
      state.phase = message.phase;
      observer.on_variant(planned, message.variant, message.phase);
    } else if (message.event == "result") {
      ResultRecord record = result_from_json(message.text);
      for (SpilledOutput& output : message.outputs)
        state.spilled.emplace_back(record.variant, std::move(output));
      if (message.is_sick) worker_.reset();
      add_result(state, std::move(record));
      deadline = after(timeout_s);
      if (state.has_failed && state.workload->spec.verify.on_fail != "record") {
        stop_after_failure(planned, state);
        return false;
      }
      if (message.is_sick) return !state.pending.empty();
    } else if (message.event == "case_done") {
      environment_.values = values_from_json(message.text);
      return false;
    } else if (message.event == "failed") {
      if (message.exit_code == static_cast<int>(ExitCode::kStoreFailed))
        throw StoreError(message.text);
      if (message.exit_code == static_cast<int>(ExitCode::kNoDevice))
        throw DeviceError(message.text);
      state.phase = message.phase;
      if (state.phase == "inputs" || state.phase == "load") state.variant.clear();
      fail_pending(status_named(message.status).value_or(Status::kFailed), message.text, "");
      return false;
    }
  }
}

/// `verify.on_fail` asks for no more of this case: its worker goes, too.
void Supervisor::stop_after_failure(const PlannedCase& planned, CaseState& state) {
  worker_.reset();
  const std::string failed = state.record.results.back().variant;
  for (const std::string& variant : std::vector<std::string>(state.pending)) {
    ResultRecord record = failure_of(planned, *state.workload, variant);
    record.status = Status::kSkipped;
    record.reason = fmt::format("'{}' failed its verification (verify.on_fail: {})", failed,
                                state.workload->spec.verify.on_fail);
    add_result(state, std::move(record));
  }
}

void Supervisor::run_case(const JobSpec& job, const Plan& plan, const PlannedCase& planned,
                          CaseState& state, RunObserver& observer) {
  const PlannedWorkload& workload = plan.workloads[planned.workload];
  state.workload = &workload;
  state.pending = workload.variants;
  state.retries = job.limits.retries;
  for (FinishedResult& known : finished_.take(planned.case_id)) {
    if (is_final(known, state.retries)) {
      if (std::erase(state.pending, known.variant) > 0)
        state.earlier.push_back(std::move(known).record());
    } else if (known.changes.empty()) {
      const auto attempt = static_cast<int>(known.order.attempt);
      state.crashes[known.variant] = attempt;
      state.attempt = std::max(state.attempt, attempt + 1);
    }
  }
  state.record.case_id = planned.case_id;
  CaseRequest request;
  request.case_id = planned.case_id;
  request.plugin = workload.plugin;
  request.device = options_.device;
  request.params = planned.params;
  request.inputs = workload.spec.inputs;
  request.kernels = workload.spec.kernels;
  request.reference = workload.reference;
  request.reference_file = workload.spec.verify.reference_file;
  request.tolerance = workload.spec.verify.tolerance;
  request.output_tolerances = workload.spec.verify.outputs;
  request.repeat = workload.spec.verify.repeat;
  request.measure = effective_measure(job);
  request.is_profile = options_.is_profile;
  request.memory_limit = job.limits.memory;
  request.arrays = job.output.arrays;
  request.job_folder = job.path.parent_path().string();
  if (job.output.arrays != "none")
    request.spill_folder = options_.scratch.empty() ? own_folder(job).string() : options_.scratch;
  // A list of lists: variants that share a worker.
  std::vector<std::vector<std::string>> groups{state.pending};
  if (job.limits.isolate == "variant") {
    groups.clear();
    for (const std::string& variant : state.pending) groups.push_back({variant});
  }
  for (const std::vector<std::string>& group : groups) {
    for (bool again = true; again;) {
      request.variants.clear();
      std::ranges::copy_if(group, std::back_inserter(request.variants), [&](const auto& variant) {
        return std::ranges::find(state.pending, variant) != state.pending.end();
      });
      if (request.variants.empty()) break;
      request.calibrates = !was_calibrated_ && !options_.is_profile;
      again = run_once(planned, to_json(request), job.limits.timeout_s, state, observer);
    }
    if (job.limits.isolate != "none") worker_.reset();
    if (state.was_interrupted) return;
  }
}

void Supervisor::store(const JobSpec& job, CaseState& state) {
  CaseRecord& record = state.record;
  // In the workload's order, whatever order they ended in.
  const auto rank = [&](const ResultRecord& result) {
    const auto& variants = state.workload->variants;
    return std::find(variants.begin(), variants.end(), result.variant) - variants.begin();
  };
  std::stable_sort(record.results.begin(), record.results.end(),
                   [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  add_speedups(record.results, state.workload->baseline, state.earlier);
  add_ceilings(record.results, calibration_);
  record.calibration = calibration_;
  record.environment = environment_;
  for (auto& [name, value] : record.environment.values)
    if (name == "argv") value = join(options_.arguments, " ");
  record.job.name = job.name;
  record.job.spec_written = job.source;
  record.job.spec_resolved = resolved_;
  record.job.sha = hash_hex(job.source);

  std::vector<MappedFile> files;
  std::vector<OutputData> outputs;
  for (const auto& [variant, spilled] : state.spilled) {
    try {
      files.emplace_back(spilled.file);
    } catch (const SpecError& error) {
      throw StoreError(fmt::format("outputs that waited to be stored are gone: {}", error.what()));
    }
    outputs.push_back({variant, spilled.output, files.back().bytes(), spilled.stride});
  }
  KERNELBATCH_FAILPOINT("case.finished");
  write_shard(own_folder(job), record, outputs, {.deflate = std::min(job.output.compress, 9)});
  KERNELBATCH_FAILPOINT("case.stored");
  for (const auto& [variant, spilled] : state.spilled) {
    std::error_code ignored;
    fs::remove(spilled.file, ignored);
  }
}

MeasureSpec Supervisor::effective_measure(const JobSpec& job) const {
  return options_.is_profile ? for_profiler(job.measure) : job.measure;
}

void Supervisor::tell_changes(const std::vector<const PlannedCase*>& cases,
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

/// Of this process's shards: a shard of a job has its own, so that nobody waits for anybody.
fs::path Supervisor::own_folder(const JobSpec& job) const {
  return shard_folder(fs::absolute(output_file(job)), shard_name(options_.shard));
}

RunSummary Supervisor::run(const JobSpec& job, const Plan& plan, RunObserver& observer) {
  const fs::path file = fs::absolute(output_file(job));
  const fs::path folder = own_folder(job);
  std::vector<const PlannedCase*> cases;
  for (const PlannedCase& planned : plan.cases) cases.push_back(&planned);
  const OutputPlace place(file, folder, job, cases);
  RunSummary summary;
  summary.file = file;
  const auto merge = [&] {
    const MergeReport report = merge_shards(file, {.source = version_text()});
    for (const SetAsideShard& shard : report.unreadable)
      summary.problems.push_back(fmt::format("{}: {}", shard.path.string(), shard.reason));
  };
  // What a killed run finished: a new shard of the same case would replace it.
  const bool merges = options_.shard.count == 1;
  if (merges && !list_shards(folder).empty()) merge();
  // A plain run reads them, too: its results must count as later than all that are there.
  std::vector<MadeOf> ingredients;
  for (const PlannedWorkload& workload : plan.workloads)
    ingredients.push_back(made_of(workload, effective_measure(job), job.path.parent_path()));
  finished_ = FinishedResults(file, cases, options_.is_resumed ? kListedResults : 0, ingredients);
  run_ = next_run(now_ns(), finished_);
  if (!options_.is_resumed) finished_ = FinishedResults();
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
  observer.on_start(done_, total_);
  tell_changes(cases, observer);
  resolved_ = to_yaml(resolved(job, plan));
  std::size_t stored = 0;
  for (const PlannedCase* planned : cases) {
    CaseState state;
    state.made_of = to_json(ingredients[planned->workload]);
    run_case(job, plan, *planned, state, observer);
    if (state.was_interrupted) {
      // The case in flight is lost, nothing else.
      summary.was_interrupted = true;
      break;
    }
    if (!state.record.results.empty()) store(job, state);
    // Only now: a result that was announced is on disk, whatever comes.
    for (const ResultRecord& record : state.record.results)
      observer.on_result(record, ++done_, total_);
    stored += state.record.results.size();
    summary.resumed += state.earlier.size();
    for (std::vector<ResultRecord>* part : {&state.earlier, &state.record.results})
      for (ResultRecord& record : *part) summary.add(std::move(record));
    if (state.has_failed && state.workload->spec.verify.on_fail == "stop-job") break;
  }
  if (merges && stored > 0) merge();
  summary.calibration = calibration_;
  return summary;
}

fs::path output_file(const JobSpec& job) {
  std::string name = job.output.file;
  for (std::size_t at; (at = name.find("{name}")) != std::string::npos;)
    name.replace(at, 6, job.name);
  return name;
}

void add_speedups(std::vector<ResultRecord>& results, const std::string& baseline,
                  const std::vector<ResultRecord>& earlier) {
  const auto is_base = [&](const ResultRecord& record) {
    return record.variant == baseline && record.status == Status::kOk;
  };
  const auto fresh = std::ranges::find_if(results, is_base);
  const auto old = std::ranges::find_if(earlier, is_base);
  if (fresh == results.end() && old == earlier.end()) return;
  const Summary reference = fresh != results.end() ? fresh->cold : old->cold;
  for (ResultRecord& record : results) {
    if (record.status != Status::kOk) continue;
    record.speedup = reference.median / record.cold.median;
    record.speedup_low = reference.ci95_low / record.cold.ci95_high;
    record.speedup_high = reference.ci95_high / record.cold.ci95_low;
  }
}

}  // namespace kernelbatch
