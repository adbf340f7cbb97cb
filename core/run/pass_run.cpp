#include "core/run/pass_run.hpp"

#include <algorithm>
#include <iterator>

#include "core/base/error.hpp"
#include "core/case/findings.hpp"
#include "core/run/tool_run.hpp"

namespace kernelbatch {
namespace {

/// Time limit for compiling and running the calibration.
constexpr double kCalibrateSeconds = 60;

}  // namespace

PassRun::PassRun(RunState& run, const JobSpec& job, const PlannedWorkload& workload,
                 const PlannedCase& planned, const Pass& pass, CaseHistory& history)
    : run_(run),
      job_(job),
      workload_(workload),
      planned_(planned),
      pass_(pass),
      history_(history),
      pending_(pass.variants) {
  if (pass.kind == PassKind::kTimes) crashes_ = history.crashes;
}

bool PassRun::is_pending(const std::string& variant) const {
  return std::ranges::find(pending_, variant) != pending_.end();
}

void PassRun::add(ResultRecord record) {
  std::erase(pending_, record.variant);
  // Findings from before the failure.
  if (const auto found = found_.find(record.variant);
      found != found_.end() && record.findings.empty() && record.status != Status::kOk)
    add_findings(record, found->second.sanitized, found->second.findings);
  record.attempt = history_.attempt;
  if (const auto why = unexplained_.find(record.variant); why != unexplained_.end())
    record.add_note(NoteKind::kEvidence, "gathering it ended the worker: " + why->second);
  if (const auto printed = history_.printed.find(record.variant); printed != history_.printed.end())
    record.printed = printed->second;
  outcome_.results.push_back(std::move(record));
}

CaseRequest PassRun::request_for(const std::vector<std::string>& variants) const {
  const bool is_repeat = pass_.kind == PassKind::kMoreTimes;
  CaseRequest request{.case_id = planned_.case_id,
                      .plugin = workload_.plugin,
                      .workload = planned_.workload,
                      .device = pass_.device,
                      .params = planned_.params,
                      .reference = workload_.reference,
                      .spill_folder = is_repeat ? "" : run_.spill_folder,
                      .attempt = history_.attempt,
                      .calibrates = job_.measure.calibrate && !run_.was_calibrated &&
                                    !run_.purpose.is_profile && pass_.checks.empty() && !is_repeat,
                      .is_profile = run_.purpose.is_profile,
                      .sanitize = pass_.checks,
                      .is_repeat = is_repeat,
                      .drop_above = planned_.drop_above,
                      .evidence_s = run_.evidence_s};
  for (const auto& [variant, why] : unexplained_) request.unexplained.push_back(variant);
  std::ranges::copy_if(variants, std::back_inserter(request.variants),
                       [&](const std::string& variant) { return is_pending(variant); });
  return request;
}

/// Sends one request to one worker. Returns whether the pass needs another because variants are
/// still pending.
bool PassRun::run_once(const CaseRequest& request) {
  variant_.clear();
  phase_ = Phase::kLoad;
  phases_ = results_ = 0;
  run_.workers.send(request);
  Patience patience(job_.limits.timeout_s);
  for (;;) {
    Reply reply;
    switch (run_.workers.receive(patience, reply)) {
      case WorkerProcess::Outcome::kInterrupted:
        outcome_.was_interrupted = true;
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

/// Ends a worker that cannot continue. A tool that watches it needs time to finish its log.
void PassRun::end_worker() noexcept {
  constexpr double kSeconds = 60;
  if (pass_.tool)
    run_.workers.finish(kSeconds);
  else
    run_.workers.reset();
}

void PassRun::run_groups() {
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
    if (outcome_.was_interrupted) return;
  }
}

/// The worker exits by itself after its case, so that the tool finishes its log.
void PassRun::run_under_tool() {
  const ToolRun tool(find_compute_sanitizer(), *pass_.tool);
  run_.workers.start_under(tool.prefix(), tool.environment());
  run_groups();
  run_.workers.finish(0);
  run_.workers.start_under({}, {});
  if (outcome_.was_interrupted) return;
  for (ResultRecord& record : outcome_.results) {
    std::string why_not;
    std::ranges::move(tool.findings(why_not), std::back_inserter(record.findings));
    record.add_note(NoteKind::kOther, why_not);
  }
}

PassOutcome PassRun::run() {
  pass_.tool ? run_under_tool() : run_groups();
  return std::move(outcome_);
}

}  // namespace kernelbatch
