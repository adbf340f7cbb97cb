#include "core/run/case_supervisor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/base/clock.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/case/findings.hpp"
#include "core/result/ceiling.hpp"
#include "core/run/reported.hpp"

namespace kernelbatch {
namespace {

/// Time limit for compiling and running the calibration.
constexpr double kCalibrateSeconds = 60;

/// Limit of progress messages per request.
constexpr std::size_t kMostPhases = 10'000'000;

bool contains(const std::vector<std::string>& list, const std::string& name) {
  return std::ranges::find(list, name) != list.end();
}

}  // namespace

CaseSupervisor::CaseSupervisor(RunState& run, const JobSpec& job, const PlannedWorkload& workload,
                               const PlannedCase& planned, std::string made_of)
    : run_(run),
      job_(job),
      workload_(workload),
      planned_(planned),
      made_of_(std::move(made_of)),
      pending_(planned.variants.empty() ? workload.variants : planned.variants),
      sanitize_(run.sanitize),
      device_(run.device) {
  record_.case_id = planned.case_id;
}

bool CaseSupervisor::is_pending(const std::string& variant) const {
  return contains(pending_, variant);
}

void CaseSupervisor::refuse_unasked() { throw RunError("it answered a request that was not sent"); }

ResultRecord CaseSupervisor::failure_of(const std::string& variant) const {
  ResultRecord record;
  record.case_id = planned_.case_id;
  record.workload = workload_.info.name;
  record.workload_version = workload_.info.version;
  record.variant = variant;
  for (const VariantDeclaration& each : workload_.info.variants)
    if (each.name == variant) record.kind = each.kind;
  record.params = planned_.params;
  record.device = run_.device;
  record.status = Status::kFailed;
  record.start_ns = record.end_ns = unix_time_ns();
  return record;
}

void CaseSupervisor::add_result(ResultRecord record) {
  std::erase(pending_, record.variant);
  // Findings from before the failure.
  if (const auto found = found_.find(record.variant);
      found != found_.end() && record.findings.empty() && record.status != Status::kOk)
    add_findings(record, found->second.sanitized, found->second.findings);
  found_.erase(record.variant);
  if (is_held(record)) return hold(std::move(record));
  if (process_ > 1) return add_times(std::move(record));
  if (const auto known = sanitized_.find(record.variant);
      sanitize_.empty() && known != sanitized_.end()) {
    const ResultRecord& checked = known->second;
    if (checked.status == Status::kOk || checked.status == Status::kVerificationFailed)
      record.sanitized = checked.sanitized;
    else
      record.add_note(NoteKind::kSanitizer, checked.reason);
    record.findings = checked.findings;
  }
  if (record.status == Status::kVerificationFailed) has_failed_ = true;
  record.run = run_.number;
  record.made_of = made_of_;
  if (!record.samples.empty()) record.processes = 1;
  record.attempt = attempt_;
  record.plan_index = static_cast<std::int64_t>(planned_.number);
  record.variant_index =
      std::ranges::find(workload_.variants, record.variant) - workload_.variants.begin();
  if (const auto& tune = workload_.spec.tune)
    for (const Scalar& name : tune->params)
      record.tuned += (record.tuned.empty() ? "" : " ") + name.text;
  if (const auto why = unexplained_.find(record.variant); why != unexplained_.end())
    record.add_note(NoteKind::kEvidence, "gathering it ended the worker: " + why->second);
  doubt_by_memory(record, run_.calibration);
  if (const auto printed = printed_.find(record.variant); printed != printed_.end())
    record.printed = printed->second;
  record_.results.push_back(std::move(record));
}

/// Keeps the text printed by kernels in their first calls, which outlives the worker.
void CaseSupervisor::keep_printed() {
  for (const std::string& variant : workload_.variants)
    if (std::string text = run_.workers.worker().printed().take_first_call(variant); !text.empty())
      printed_[variant] = std::move(text);
}

/// A failure before the first variant affects the whole case; later ones affect only that variant.
void CaseSupervisor::fail_pending(const Failure& failure) {
  const bool is_one = !variant_.empty() && is_pending(variant_);
  const std::vector<std::string> failed = is_one ? std::vector{variant_} : pending_;
  attribute_file_changes();
  for (const std::string& variant : failed) {
    ResultRecord record = failure_of(variant);
    record.status = failure.status;
    record.phase = phase_;
    record.retryable = failure.is_retryable;
    record.reason = is_one || variant_.empty()
                        ? failure.reason
                        : fmt::format("the reference '{}' failed: {}", variant_, failure.reason);
    if (const auto harm = harm_.find(variant); harm != harm_.end())
      record.reason += "; the variant " + harm->second;
    record.detail = failure.detail;
    add_result(std::move(record));
  }
}

/// The worker ended, or sent an untrusted message. Returns whether the case needs another worker.
bool CaseSupervisor::lose_worker() {
  WorkerProcess& worker = run_.workers.worker();
  const std::string end = worker.end();
  const std::string lines = worker.printed().last_lines();
  keep_printed();
  const bool was_killed = worker.was_killed_by_others(), was_forged = worker.was_forged();
  run_.workers.reset();
  // A job can run without calibration.
  if (phase_ == Phase::kCalibrate) return true;
  if (was_forged) return fail_forger({Status::kFailed, end, lines, false});
  if (goes_on_unexplained(end)) return true;
  if (crashes_[variant_]++ < job_.limits.retries) {
    ++attempt_;
    return true;
  }
  fail_pending({Status::kCrashed,
                fmt::format("the worker ended in phase '{}': {}", name_of(phase_), end), lines,
                was_killed});
  return !pending_.empty();
}

/// Reruns a variant without evidence if gathering it ended the worker. Returns false if that is not
/// what ended it.
bool CaseSupervisor::goes_on_unexplained(const std::string& end) {
  if (phase_ != Phase::kExplain || !is_pending(variant_)) return false;
  return unexplained_.emplace(variant_, end).second;
}

/// Handles a message forged while variant_ ran. The variant is not retried, and a result that it
/// already has is invalidated. Returns whether the case needs another worker.
bool CaseSupervisor::fail_forger(const Failure& failure) {
  const auto known = std::ranges::find(record_.results, variant_, &ResultRecord::variant);
  // If the reference always forges, nothing can be verified.
  if (known == record_.results.end() || known->status == failure.status) {
    fail_pending(failure);
  } else {
    known->status = failure.status;
    known->phase = phase_;
    known->reason = failure.reason;
    known->detail = failure.detail;
    known->verified = known->retryable = false;
  }
  return !pending_.empty();
}

bool CaseSupervisor::end_of_time() {
  const std::string lines = run_.workers.worker().printed().last_lines();
  keep_printed();
  run_.workers.reset();
  if (phase_ == Phase::kCalibrate) return true;
  if (goes_on_unexplained("it took too long")) return true;
  fail_pending({Status::kTimedOut,
                fmt::format("still running after {:.4g} s (limits.timeout), in phase '{}'",
                            job_.limits.timeout_s, name_of(phase_)),
                lines, false});
  return !pending_.empty();
}

/// Checks and restores the files that the run needs. A missing file existed before the running
/// variant started.
void CaseSupervisor::attribute_file_changes() {
  const std::string what = run_.place.repair();
  if (what.empty()) return;
  if (!is_pending(variant_)) warn(fmt::format("'{}' or another process {}", variant_, what));
  std::string& harm = harm_[variant_];
  harm += (harm.empty() ? "" : ", ") + what;
}

CaseSupervisor::Next CaseSupervisor::take(Calibrated& calibrated, const CaseRequest&) {
  if (phase_ != Phase::kCalibrate)
    throw RunError("it reported a calibration that was not requested");
  run_.calibration = {calibrated.calibration};
  run_.observer.on_calibration(calibrated.calibration);
  return Next::kContinue;
}

CaseSupervisor::Next CaseSupervisor::take(CaseEta& left, const CaseRequest&) {
  if (++phases_ > kMostPhases) throw RunError("it sends too many progress messages");
  const auto is_time = [](double seconds) { return std::isfinite(seconds) && seconds >= 0; };
  if (!is_time(left.seconds) || !is_time(left.timing_s) || !is_time(left.evidence_s))
    return Next::kContinue;
  if (left.evidence_s > 0) run_.evidence_s = left.evidence_s;
  run_.observer.on_eta({.process = process_,
                        .processes = job_.measure.processes,
                        .left_s = left.seconds,
                        .timing_s = left.timing_s});
  return Next::kContinue;
}

CaseSupervisor::Next CaseSupervisor::take(PhaseChange& change, const CaseRequest& request) {
  if (++phases_ > kMostPhases) throw RunError("it sends too many progress messages");
  const bool is_known = change.variant.empty() || change.variant == request.reference ||
                        contains(request.variants, change.variant);
  if (!is_known)
    throw RunError(
        fmt::format("it reported a variant '{}' that was not requested", change.variant));
  if (change.variant.empty() && !variant_.empty()) throw RunError("it restarted its case");
  if (change.phase == Phase::kCalibrate) {
    if (!request.calibrates || run_.was_calibrated)
      throw RunError("it calibrates without a request");
    run_.was_calibrated = true;
  }
  if (change.variant != variant_) attribute_file_changes();
  variant_ = change.variant;
  phase_ = change.phase;
  run_.observer.on_variant(planned_, variant_, phase_);
  if (change.is_turn) run_.workers.worker().answer(to_frame(GoOn{}));
  return Next::kContinue;
}

CaseSupervisor::Next CaseSupervisor::take(Result& result, const CaseRequest&) {
  ResultRecord& record = result.record;
  if (record.case_id != planned_.case_id || !is_pending(record.variant))
    throw RunError(
        fmt::format("it reported a result of variant '{}' of case '{}', which was not requested or "
                    "already exists",
                    record.variant, record.case_id));
  require_storable(record);
  std::vector<SpilledArray> files;
  for (SpilledOutput& output : result.outputs) {
    require_described(record, output);
    MappedFile file(output.file, output.output);
    require_size(record, output, file.bytes().size());
    files.push_back({record.variant, output.output, output.stride, std::move(file)});
  }
  record.params = planned_.params;
  keep_printed();
  // A kernel's assertion or a driver's message.
  if ((record.status == Status::kFailed || record.status == Status::kCrashed) &&
      record.detail.empty()) {
    // From the first call, or a later one; destructors may have printed more since.
    const auto first = printed_.find(record.variant);
    record.detail = first != printed_.end() ? std::string(trim(first->second))
                                            : run_.workers.worker().printed().last_lines();
  }
  attribute_file_changes();
  if (const auto harm = harm_.find(record.variant); harm != harm_.end()) {
    record.status = Status::kFailed;
    record.phase = Phase::kRun;
    record.reason = "the variant " + harm->second;
    record.verified = false;
  }
  // Results that could not be written are a problem of the whole run.
  if (record.phase == Phase::kWrite)
    run_.problems.push_back(fmt::format("{}: {}", record.variant, record.reason));
  // Variants that are timed next send their outputs then.
  if (!is_held(record)) std::ranges::move(files, std::back_inserter(spilled_));
  add_result(std::move(record));
  ++results_;
  if (result.must_restart_worker) end_worker();
  if (has_failed_ && workload_.spec.verify.on_fail != OnFail::kRecord) {
    stop_after_failure();
    return Next::kDone;
  }
  if (result.must_restart_worker) return pending_.empty() ? Next::kDone : Next::kAgain;
  return Next::kContinue;
}

CaseSupervisor::Next CaseSupervisor::take(Found& found, const CaseRequest& request) {
  constexpr std::size_t kMost = 10'000;
  ResultRecord& record = found.record;
  if (request.sanitize.empty() || !is_pending(record.variant))
    throw RunError(
        fmt::format("it reported a fault in '{}', which is not being checked", record.variant));
  ResultRecord& known = found_[record.variant];
  known.sanitized = request.sanitize;
  if (known.findings.size() < kMost)
    std::ranges::move(record.findings, std::back_inserter(known.findings));
  return Next::kContinue;
}

CaseSupervisor::Next CaseSupervisor::take(Renew&, const CaseRequest&) {
  if (results_ == 0) throw RunError("it exited before its first result");
  run_.workers.reset();
  return pending_.empty() ? Next::kDone : Next::kAgain;
}

CaseSupervisor::Next CaseSupervisor::take(CaseDone& done, const CaseRequest& request) {
  for (const std::string& variant : request.variants)
    if (is_pending(variant)) {
      if (!is_pending(variant_)) variant_ = variant;
      throw RunError(fmt::format("it ended the case without a result of '{}'", variant));
    }
  require_plain_names(done.environment);
  run_.environment.values = std::move(done.environment);
  if (done.must_restart_worker) end_worker();
  return Next::kDone;
}

CaseSupervisor::Next CaseSupervisor::take(Failed& failed, const CaseRequest&) {
  if (failed.must_restart_worker) run_.workers.reset();
  // Only this message ends the run, so a second worker must confirm it.
  if (failed.cause == FailureCause::kNoDevice && !run_.workers.can_open(run_.device))
    throw DeviceError(failed.reason);
  phase_ = failed.phase;
  if (phase_ == Phase::kInputs || phase_ == Phase::kLoad) variant_.clear();
  fail_pending({failed.status, failed.reason, "", failed.is_retryable});
  // A failure of one variant does not affect the others.
  if (pending_.empty()) return Next::kDone;
  run_.workers.reset();
  return Next::kAgain;
}

/// Sends one request to one worker. Returns whether the case needs another because variants are
/// still pending.
bool CaseSupervisor::run_once(const CaseRequest& request) {
  variant_.clear();
  phase_ = Phase::kLoad;
  phases_ = results_ = 0;
  run_.workers.send(request);
  Patience patience(job_.limits.timeout_s);
  for (;;) {
    Reply reply;
    switch (run_.workers.receive(patience, reply)) {
      case WorkerProcess::Outcome::kInterrupted:
        was_interrupted_ = true;
        run_.workers.reset();
        return false;
      case WorkerProcess::Outcome::kTimedOut:
        return end_of_time();
      case WorkerProcess::Outcome::kDied:
        return lose_worker();
      case WorkerProcess::Outcome::kMessage:
        break;
    }
    const std::string variant = variant_;
    const std::size_t results = results_;
    const bool began_calibration = phase_ != Phase::kCalibrate;
    try {
      const Next next = std::visit([&](auto& each) { return take(each, request); }, reply);
      if (next != Next::kContinue) return next == Next::kAgain;
    } catch (const DeviceError&) {
      throw;
    } catch (const Error& error) {
      // RunError from here; StoreError and SpecError from invalid records and files.
      if (!run_.workers) throw;
      run_.workers.worker().refuse(error.what());
      return lose_worker();
    }
    if (began_calibration && phase_ == Phase::kCalibrate)
      // Calibration does not count towards the case's time; at most once.
      patience = Patience(std::max(job_.limits.timeout_s, kCalibrateSeconds));
    else if (variant_ != variant || results_ != results ||
             std::holds_alternative<Calibrated>(reply))
      patience = Patience(job_.limits.timeout_s);
  }
}

/// `verify.on_fail` stops this case, so its worker is ended too.
void CaseSupervisor::stop_after_failure() {
  run_.workers.reset();
  const std::string failed = record_.results.back().variant;
  for (const std::string& variant : std::vector<std::string>(pending_)) {
    ResultRecord record = failure_of(variant);
    record.status = Status::kSkipped;
    record.reason = fmt::format("'{}' failed its verification (verify.on_fail: {})", failed,
                                name_of(workload_.spec.verify.on_fail));
    add_result(std::move(record));
  }
}

void CaseSupervisor::take_known(std::vector<FinishedResult> known) {
  const int retries = job_.limits.retries;
  for (FinishedResult& each : known) {
    if (is_final(each, retries)) {
      if (std::erase(pending_, each.variant) > 0) earlier_.push_back(std::move(each).record());
    } else if (each.changes.empty()) {
      if (!each.retryable) crashes_[each.variant] = static_cast<int>(each.order.attempt);
      attempt_ = std::max(attempt_, each.order.attempt + 1);
    }
  }
}

CaseRequest CaseSupervisor::request_for(const std::vector<std::string>& variants) const {
  CaseRequest request{.case_id = planned_.case_id,
                      .plugin = workload_.plugin,
                      .workload = planned_.workload,
                      .device = device_,
                      .params = planned_.params,
                      .reference = workload_.reference,
                      .spill_folder = process_ > 1 ? "" : run_.spill_folder,
                      .attempt = attempt_,
                      .calibrates = job_.measure.calibrate && !run_.was_calibrated &&
                                    !run_.is_profile && sanitize_.empty() && process_ == 1,
                      .is_profile = run_.is_profile,
                      .sanitize = sanitize_,
                      .is_repeat = process_ > 1,
                      .drop_above = planned_.drop_above,
                      .evidence_s = run_.evidence_s};
  for (const auto& [variant, why] : unexplained_) request.unexplained.push_back(variant);
  std::ranges::copy_if(variants, std::back_inserter(request.variants),
                       [&](const std::string& variant) { return is_pending(variant); });
  return request;
}

void CaseSupervisor::run(std::vector<FinishedResult> known) {
  take_known(std::move(known));
  if (run_.sanitize_on != CheckPlace::kHost && !run_.sanitize.empty()) return sanitize_instead();
  sanitize_first();
  if (!was_interrupted_) run_groups();
  if (!was_interrupted_) time_again();
}

/// Ends a worker that cannot continue. A tool that watches it needs time to finish its log.
void CaseSupervisor::end_worker() noexcept {
  constexpr double kSeconds = 60;
  if (is_under_tool_)
    run_.workers.finish(kSeconds);
  else
    run_.workers.reset();
}

void CaseSupervisor::run_groups() {
  // Groups of variants that share a worker.
  std::vector<std::vector<std::string>> groups{pending_};
  if (job_.limits.isolate == Isolate::kVariant) {
    groups.clear();
    for (const std::string& variant : pending_) groups.push_back({variant});
  }
  for (const std::vector<std::string>& group : groups) {
    for (bool again = true; again;) {
      const CaseRequest request = request_for(group);
      if (request.variants.empty()) break;
      again = run_once(request);
    }
    if (job_.limits.isolate != Isolate::kNone) run_.workers.reset();
    if (was_interrupted_) return;
  }
}

}  // namespace kernelbatch
