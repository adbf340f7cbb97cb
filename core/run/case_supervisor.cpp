#include "core/run/case_supervisor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/base/clock.hpp"
#include "core/base/error.hpp"
#include "core/case/findings.hpp"
#include "core/result/ceiling.hpp"

namespace kernelbatch {
namespace {

/// Time limit for compiling and running the calibration.
constexpr double kCalibrateSeconds = 60;

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
  return std::ranges::find(pending_, variant) != pending_.end();
}

void CaseSupervisor::refuse_unasked() { throw RunError("it answered a request that was not sent"); }

ResultRecord CaseSupervisor::failure_of(const std::string& variant) const {
  ResultRecord record;
  record.case_id = planned_.case_id;
  record.workload = workload_.name;
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
  record.workload = workload_.name;
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
