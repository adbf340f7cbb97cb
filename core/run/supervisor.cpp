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
#include "core/base/scratch_folder.hpp"
#include "core/base/text.hpp"
#include "core/base/version.hpp"
#include "core/case/output_spill.hpp"
#include "core/job/parse_settings.hpp"
#include "core/job/resolved.hpp"
#include "core/result/ceiling.hpp"
#include "core/result/json.hpp"
#include "core/result/merge.hpp"
#include "core/result/shard_files.hpp"
#include "core/result/shard_writer.hpp"
#include "core/run/partition.hpp"
#include "core/workload/describe.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;
namespace {

/// Loading a plugin and asking what it declares.
constexpr double kDescribeSeconds = 60;
/// Compiling the calibration's kernels, and a second of measuring.
constexpr double kCalibrateSeconds = 60;

/// Of one request: variants take turns, and tell of each.
constexpr std::size_t kMostPhases = 10'000'000;
constexpr std::size_t kLongestPhase = 64;

bool contains(const std::vector<std::string>& list, const std::string& name) {
  return std::ranges::find(list, name) != list.end();
}

/// Names of columns and of groups.
bool is_plain(std::string_view name) {
  using namespace std::string_view_literals;
  return !name.empty() && name.size() <= 255 && name.front() != '.' &&
         name.find_first_of("/\0"sv) == name.npos;
}

void require_plain_names(const NamedValues& values) {
  constexpr std::size_t kMost = 500;
  if (values.size() > kMost) throw RunError("it described its machine in too many words");
  for (const auto& [name, value] : values)
    if (!is_plain(name)) throw RunError("it described its machine in words that cannot be stored");
}

/// What would be refused when the case is stored, and cost the whole of it.
void require_storable(const ResultRecord& record) {
  for (const OutputRecord& output : record.outputs) {
    if (!is_plain(output.name) ||
        std::ranges::count(record.outputs, output.name, &OutputRecord::name) != 1)
      throw RunError(
          fmt::format("it reported an output '{}', which cannot be stored", output.name));
    for (const std::string& name : output.dimensions)
      if (!is_plain(name))
        throw RunError(fmt::format("it reported a dimension '{}', which cannot be stored", name));
  }
  for (const Sample& sample : record.samples)
    if (sample.kind != "cold" && sample.kind != "hot" && sample.kind != "host")
      throw RunError(fmt::format("it reported a sample of the kind '{}'", sample.kind));
}

/// Elements of an output; 0 where its extents make no sense.
std::int64_t elements_of(const OutputRecord& output) {
  std::int64_t count = 1;
  for (const std::int64_t extent : output.shape)
    if (extent < 0 || __builtin_mul_overflow(count, extent, &count)) return 0;
  return count;
}

void require_described(const ResultRecord& record, const SpilledOutput& output) {
  if (std::ranges::find(record.outputs, output.output, &OutputRecord::name) == record.outputs.end())
    throw RunError(
        fmt::format("it sent an output '{}' that its result does not describe", output.output));
}

void require_size(const ResultRecord& record, const SpilledOutput& output, std::size_t bytes) {
  const auto described = std::ranges::find(record.outputs, output.output, &OutputRecord::name);
  const std::int64_t kept =
      output.stride < 1 ? -1 : spilled_elements(elements_of(*described), output.stride);
  if (kept < 0 || bytes / size_of(described->dtype) != static_cast<std::size_t>(kept) ||
      bytes % size_of(described->dtype) != 0)
    throw RunError(
        fmt::format("it sent {} bytes as output '{}', which its result describes otherwise", bytes,
                    output.output));
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

/// An array that waits to be stored.
struct Spilled {
  std::string variant, output;
  std::int64_t stride = 1;
  MappedFile file;
};

/// One case in progress.
struct Supervisor::CaseState {
  const PlannedWorkload* workload = nullptr;
  std::vector<std::string> pending;         ///< variants without a result
  std::map<std::string, int> crashes;       ///< per variant
  std::map<std::string, std::string> harm;  ///< what a variant did to files of the run
  std::string variant, phase;               ///< what the worker is doing
  int attempt = 1, retries = 0;
  CaseRecord record;
  std::vector<Spilled> spilled;
  std::vector<ResultRecord> earlier;       ///< final results of earlier runs
  std::string made_of;                     ///< ResultRecord::made_of
  std::size_t phases = 0, of_request = 0;  ///< messages of phases, and results, of this request
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
  Patience patience(kDescribeSeconds);
  const auto outcome = worker().receive(patience, options_.interrupt, message);
  if (outcome == WorkerProcess::Outcome::kMessage && message.event == event) return message;
  std::string reason = message.text;
  if (outcome == WorkerProcess::Outcome::kMessage && message.event != "failed")
    reason = fmt::format("{}: answers '{}' when it is asked for '{}'", file, message.event, event);
  if (outcome == WorkerProcess::Outcome::kDied)
    reason = fmt::format("{}: crashes while it is loaded: {}", file, worker_->end());
  else if (outcome == WorkerProcess::Outcome::kTimedOut)
    reason = fmt::format("{}: does not finish loading within {} s", file, kDescribeSeconds);
  if (outcome != WorkerProcess::Outcome::kMessage || message.event != "failed") worker_.reset();
  if (outcome == WorkerProcess::Outcome::kInterrupted)
    throw Error(ExitCode::kResumable, "stopped before the first case");
  throw SpecError(reason);
}

/// Whether a worker that has loaded nothing opens the device.
bool Supervisor::can_open_device() {
  worker_.reset();
  try {
    ask(frame_of("open", "device", options_.device), "opened", options_.device);
    return true;
  } catch (const SpecError&) {
    return false;
  }
}

WorkloadInfo Supervisor::describe(const std::string& plugin) {
  const std::string text = ask(frame_of("describe", "plugin", plugin), "described", plugin).text;
  try {
    return workload_info_from_json(text);
  } catch (const std::exception& error) {
    worker_.reset();
    throw SpecError(fmt::format("{}: describes itself in words that cannot be read: {}",
                                fs::path(plugin).filename().string(), error.what()));
  }
}

std::vector<double> Supervisor::footprints(const std::string& plugin,
                                           const std::vector<NamedValues>& cases) {
  nlohmann::json frame{{"op", "footprints"}, {"plugin", plugin}};
  for (const NamedValues& values : cases) frame["cases"].push_back(to_json(values));
  const std::string text = ask(frame.dump(), "footprints", plugin).text;
  try {
    const auto bytes = nlohmann::json::parse(text).get<std::vector<double>>();
    if (bytes.size() == cases.size()) return bytes;
  } catch (const nlohmann::json::exception&) {
    // No list of numbers: no answer to what was asked either.
  }
  worker_.reset();
  throw SpecError(plugin + ": answers for other cases");
}

ResultRecord Supervisor::failure_of(const PlannedCase& planned, const PlannedWorkload& workload,
                                    const std::string& variant) const {
  ResultRecord record;
  record.case_id = planned.case_id;
  record.workload = workload.info.name;
  record.workload_version = workload.info.version;
  record.variant = variant;
  for (const VariantDeclaration& each : workload.info.variants)
    if (each.name == variant) record.kind = name_of(each.kind);
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

/// Before the first variant nothing of the case can work; after that it is one variant's fault.
void Supervisor::fail_pending(const PlannedCase& planned, CaseState& state,
                              const Failure& failure) {
  const bool is_one = !state.variant.empty() && contains(state.pending, state.variant);
  const std::vector<std::string> failed =
      is_one ? std::vector<std::string>{state.variant} : state.pending;
  blame_for_files(state);
  for (const std::string& variant : failed) {
    ResultRecord record = failure_of(planned, *state.workload, variant);
    record.status = failure.status;
    record.phase = state.phase;
    record.retryable = failure.is_retryable;
    record.reason = is_one || state.variant.empty() ? failure.reason
                                                    : fmt::format("the reference '{}' failed: {}",
                                                                  state.variant, failure.reason);
    if (const auto harm = state.harm.find(variant); harm != state.harm.end())
      record.reason += "; the variant " + harm->second;
    record.detail = failure.detail;
    add_result(state, std::move(record));
  }
}

/// The worker is gone, or what it said shows that it cannot be trusted. Returns whether the case
/// needs another.
bool Supervisor::lose_worker(const PlannedCase& planned, CaseState& state) {
  const std::string end = worker_->end();
  const std::string lines = worker_->last_lines();
  const bool was_killed = worker_->was_killed_by_others();
  worker_.reset();
  // A job can do without.
  if (state.phase == "calibrate") return true;
  if (state.crashes[state.variant]++ < state.retries) {
    ++state.attempt;
    return true;
  }
  fail_pending(
      planned, state,
      {Status::kCrashed, fmt::format("the worker ended in phase '{}': {}", state.phase, end), lines,
       was_killed});
  return !state.pending.empty();
}

/// Looks at the files that the run needs, and puts them back. What is gone was there before the
/// variant that now runs began.
void Supervisor::blame_for_files(CaseState& state) {
  const std::string what = place_->repair();
  if (what.empty()) return;
  if (!contains(state.pending, state.variant))
    warn(fmt::format("somebody, perhaps '{}', {}", state.variant, what));
  std::string& harm = state.harm[state.variant];
  harm += (harm.empty() ? "" : ", ") + what;
}

/// A result as a worker reports it. Throws RunError where it is not one of the case that runs.
void Supervisor::take_result(WorkerMessage& message, const PlannedCase& planned, CaseState& state) {
  ResultRecord record = result_from_json(message.text);
  if (record.case_id != planned.case_id || record.variant != message.variant ||
      !contains(state.pending, record.variant))
    throw RunError(
        fmt::format("it reported a result of variant '{}' of case '{}', which was not asked for or "
                    "is there already",
                    record.variant, record.case_id));
  require_storable(record);
  std::vector<Spilled> files;
  for (SpilledOutput& output : message.outputs) {
    require_described(record, output);
    MappedFile file(output.file, output.output);
    require_size(record, output, file.bytes().size());
    files.push_back({record.variant, output.output, output.stride, std::move(file)});
  }
  record.params = planned.params;
  blame_for_files(state);
  if (const auto harm = state.harm.find(record.variant); harm != state.harm.end()) {
    record.status = Status::kFailed;
    record.phase = "run";
    record.reason = "the variant " + harm->second;
    record.verified = false;
  }
  // Results that could not be written are no failure of the variant alone.
  if (record.phase == "write")
    problems_.push_back(fmt::format("{}: {}", record.variant, record.reason));
  std::ranges::move(files, std::back_inserter(state.spilled));
  add_result(state, std::move(record));
}

/// One message. Throws where it makes no sense.
Supervisor::Next Supervisor::take(WorkerMessage& message, const PlannedCase& planned,
                                  const CaseRequest& request, CaseState& state,
                                  RunObserver& observer) {
  if (message.event == "calibrated") {
    if (state.phase != "calibrate")
      throw RunError("it reported a calibration that nobody asked for");
    calibration_ = case_from_json(message.text).calibration;
    for (const DeviceCalibration& calibration : calibration_) observer.on_calibration(calibration);
    return Next::kGoOn;
  }
  if (message.event == "phase" || message.event == "turn") {
    if (++state.phases > kMostPhases) throw RunError("it never stops telling what it is doing");
    const bool is_known = message.variant.empty() || message.variant == request.reference ||
                          contains(request.variants, message.variant);
    if (!is_known || message.phase.size() > kLongestPhase)
      throw RunError(
          fmt::format("it told of a variant '{}' that was not asked for", message.variant));
    if (message.variant.empty() && !state.variant.empty())
      throw RunError("it said that it begins its case again");
    if (message.phase == "calibrate") {
      if (!request.calibrates || was_calibrated_) throw RunError("it calibrates unasked");
      was_calibrated_ = true;
    }
    if (message.variant != state.variant) blame_for_files(state);
    state.variant = message.variant;
    state.phase = message.phase;
    observer.on_variant(planned, message.variant, message.phase);
    if (message.event == "turn") worker_->answer(R"({"op":"go_on"})");
    return Next::kGoOn;
  }
  if (message.event == "result") {
    take_result(message, planned, state);
    ++state.of_request;
    if (message.is_sick) worker_.reset();
    if (state.has_failed && state.workload->spec.verify.on_fail != OnFail::kRecord) {
      stop_after_failure(planned, state);
      return Next::kDone;
    }
    if (message.is_sick) return state.pending.empty() ? Next::kDone : Next::kAgain;
    return Next::kGoOn;
  }
  if (message.event == "renew") {
    if (state.of_request == 0) throw RunError("it left before its first result");
    worker_.reset();
    return state.pending.empty() ? Next::kDone : Next::kAgain;
  }
  if (message.event == "case_done") {
    for (const std::string& variant : request.variants)
      if (contains(state.pending, variant)) {
        if (!contains(state.pending, state.variant)) state.variant = variant;
        throw RunError(fmt::format("it called the case done without a result of '{}'", variant));
      }
    NamedValues values = values_from_json(message.text);
    require_plain_names(values);
    environment_.values = std::move(values);
    if (message.is_sick) worker_.reset();
    return Next::kDone;
  }
  if (message.event != "failed")
    throw RunError(
        fmt::format("it sent a message '{}', which there is not", message.event.substr(0, 40)));
  if (message.is_sick) worker_.reset();
  // Of all that a worker may say this alone ends the run, so another one is asked.
  if (message.exit_code == static_cast<int>(ExitCode::kNoDevice) && !can_open_device())
    throw DeviceError(message.text);
  state.phase = message.phase;
  if (state.phase == "inputs" || state.phase == "load") state.variant.clear();
  fail_pending(planned, state,
               {status_named(message.status).value_or(Status::kFailed), message.text, "",
                message.is_retryable});
  // What one variant throws at its worker is not the others' fault.
  if (state.pending.empty()) return Next::kDone;
  worker_.reset();
  return Next::kAgain;
}

/// One request to one worker. Returns whether the case needs another: some variants are still
/// pending.
bool Supervisor::run_once(const PlannedCase& planned, const CaseRequest& request, double timeout_s,
                          CaseState& state, RunObserver& observer) {
  state.variant.clear();
  state.phase = "load";
  state.phases = state.of_request = 0;
  // What comes after the end of a case belongs to no other.
  if (worker_ && worker_->has_unread()) worker_.reset();
  const std::string frame = frame_of("case", "case", to_json(request));
  if (!worker().send(frame)) {
    // It ended between two cases; a fresh one gets the same request.
    worker_.reset();
    worker().send(frame);
  }
  Patience patience(timeout_s);
  for (;;) {
    WorkerMessage message;
    switch (worker_->receive(patience, options_.interrupt, message)) {
      case WorkerProcess::Outcome::kInterrupted:
        state.was_interrupted = true;
        worker_.reset();
        return false;
      case WorkerProcess::Outcome::kTimedOut: {
        const std::string lines = worker_->last_lines();
        worker_.reset();
        if (state.phase == "calibrate") return true;
        fail_pending(planned, state,
                     {Status::kTimedOut,
                      fmt::format("no end after {:.4g} s (limits.timeout), in phase '{}'",
                                  timeout_s, state.phase),
                      lines, false});
        return !state.pending.empty();
      }
      case WorkerProcess::Outcome::kDied:
        return lose_worker(planned, state);
      case WorkerProcess::Outcome::kMessage:
        break;
    }
    const std::string variant = state.variant;
    const std::size_t results = state.of_request;
    try {
      switch (take(message, planned, request, state, observer)) {
        case Next::kAgain:
          return true;
        case Next::kDone:
          return false;
        case Next::kGoOn:
          break;
      }
    } catch (const DeviceError&) {
      throw;
    } catch (const Error& error) {
      // RunError from here, StoreError and SpecError from text that is no record and no file.
      if (!worker_) throw;
      worker_->refuse(error.what());
      return lose_worker(planned, state);
    }
    if (message.event == "phase" && message.phase == "calibrate")
      // Not the case's time; once, whether or not it works.
      patience = Patience(std::max(timeout_s, kCalibrateSeconds));
    else if (state.variant != variant || state.of_request != results ||
             message.event == "calibrated")
      patience = Patience(timeout_s);
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
                                name_of(state.workload->spec.verify.on_fail));
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
      if (!known.retryable) state.crashes[known.variant] = attempt;
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
  if (job.output.arrays != KeptArrays::kNone)
    request.spill_folder = options_.scratch.empty() ? own_folder(job).string() : options_.scratch;
  // A list of lists: variants that share a worker.
  std::vector<std::vector<std::string>> groups{state.pending};
  if (job.limits.isolate == Isolate::kVariant) {
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
      again = run_once(planned, request, job.limits.timeout_s, state, observer);
    }
    if (job.limits.isolate != Isolate::kNone) worker_.reset();
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

  std::vector<OutputData> outputs;
  for (const Spilled& spilled : state.spilled)
    outputs.push_back({spilled.variant, spilled.output, spilled.file.bytes(), spilled.stride});
  KERNELBATCH_FAILPOINT("case.finished");
  write_shard(own_folder(job), record, outputs, {.deflate = std::min(job.output.compress, 9)});
  KERNELBATCH_FAILPOINT("case.stored");
  place_->add_shard(record.case_id);
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
  remove_abandoned_scratch_folders();
  OutputPlace place(file, folder, job, cases);
  for (const PlannedWorkload& workload : plan.workloads)
    if (!workload.plugin.empty()) place.watch(workload.plugin);
  place_ = &place;
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
    if (state.has_failed && state.workload->spec.verify.on_fail == OnFail::kStopJob) break;
  }
  place_ = nullptr;
  std::ranges::move(problems_, std::back_inserter(summary.problems));
  problems_.clear();
  for (const fs::path& path : place.lost_shards())
    summary.problems.push_back(
        fmt::format("{}: it was stored, and somebody removed it", path.string()));
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
