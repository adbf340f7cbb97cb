#include "core/run/pass_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/error.hpp"
#include "core/run/pass_replies.hpp"
#include "core/run/tool/tool_run.hpp"

namespace kernelbatch {
namespace {

/// Time limit for compiling and running the calibration.
constexpr double kCalibrateSeconds = 60;

}  // namespace

PassRun::PassRun(const PassPlace& place) : place_(place), results_(place_) {
  if (place.pass.kind == PassKind::kTimes) crashes_ = place.history.crashes;
}

CaseRequest PassRun::request_for(const std::vector<std::string>& variants) const {
  const auto& [run, job, workload, planned, pass, history] = place_;
  const bool is_repeat = pass.kind == PassKind::kMoreTimes;
  CaseRequest request{.case_id = planned.case_id,
                      .plugin = workload.plugin,
                      .workload = planned.workload,
                      .device = pass.device,
                      .params = planned.params,
                      .reference = workload.reference,
                      .spill_folder = is_repeat ? "" : run.spill_folder,
                      .attempt = history.attempt,
                      .calibrates = job.measure.times && job.measure.calibrate &&
                                    !run.was_calibrated && !run.purpose.is_profile &&
                                    pass.checks.empty() && !is_repeat,
                      .is_profile = run.purpose.is_profile,
                      .sanitize = pass.checks,
                      .unexplained = results_.unexplained(),
                      .is_repeat = is_repeat,
                      .drop_above = planned.drop_above,
                      .evidence_s = run.evidence_s};
  std::ranges::copy_if(variants, std::back_inserter(request.variants),
                       [&](const std::string& variant) { return results_.is_pending(variant); });
  return request;
}

/// Sends one request to one worker. Returns whether the pass needs another because variants are
/// still pending.
bool PassRun::run_once(const CaseRequest& request) {
  WorkerClient& workers = place_.run.workers;
  const double timeout_s = place_.job.limits.timeout_s;
  PassReplies replies(place_, results_, request);
  workers.send(request);
  Patience patience(timeout_s);
  for (;;) {
    Reply reply;
    switch (workers.receive(patience, reply)) {
      case WorkerProcess::Outcome::kInterrupted:
        results_.outcome().was_interrupted = true;
        results_.outcome().interrupted = replies.activity().variant;
        workers.reset();
        return false;
      case WorkerProcess::Outcome::kTimedOut:
        return end_of_time(replies.activity());
      case WorkerProcess::Outcome::kDied:
        return lose_worker(replies.activity());
      case WorkerProcess::Outcome::kMessage:
        break;
    }
    const WorkerActivity before = replies.activity();
    const std::size_t results = replies.results();
    try {
      const PassReplies::Next next = replies.take(reply);
      if (next != PassReplies::Next::kContinue) return next == PassReplies::Next::kAgain;
    } catch (const DeviceError&) {
      throw;
    } catch (const Error& error) {
      // RunError from here; StoreError and SpecError from invalid records and files.
      if (!workers) throw;
      workers.worker().refuse(error.what());
      return lose_worker(replies.activity());
    }
    const WorkerActivity& now = replies.activity();
    if (before.phase != Phase::kCalibrate && now.phase == Phase::kCalibrate)
      // Calibration does not count towards the case's time; at most once.
      patience = Patience(std::max(timeout_s, kCalibrateSeconds));
    else if (now.variant != before.variant || replies.results() != results ||
             std::holds_alternative<Calibrated>(reply))
      patience = Patience(timeout_s);
  }
}

/// The worker ended, or sent an untrusted message. Returns whether the case needs another worker.
bool PassRun::lose_worker(const WorkerActivity& during) {
  WorkerProcess& worker = place_.run.workers.worker();
  const std::string end = worker.end();
  const std::string lines = worker.printed().last_lines();
  results_.keep_printed();
  const std::string refusal = worker.refusal();
  const bool was_killed = worker.was_killed_by_others(), was_forged = worker.was_forged();
  place_.run.workers.reset();
  // A job can run without calibration.
  if (during.phase == Phase::kCalibrate) return true;
  if (was_forged) {
    results_.fail_forger({Status::kFailed, end, lines, false}, during);
    return !results_.pending().empty();
  }
  if (!refusal.empty()) {
    results_.fail_forger(
        {Status::kCrashed, fmt::format("the kernel tried to {}", refusal), lines, false}, during);
    return !results_.pending().empty();
  }
  if (goes_on_unexplained(during, end)) return true;
  if (crashes_[during.variant]++ < place_.job.limits.retries) {
    ++place_.history.attempt;
    return true;
  }
  results_.fail_pending(
      {Status::kCrashed,
       fmt::format("the worker ended in phase '{}': {}", name_of(during.phase), end), lines,
       was_killed},
      during);
  return !results_.pending().empty();
}

/// Reruns a variant without evidence if gathering it ended the worker. Returns false if that is not
/// what ended it.
bool PassRun::goes_on_unexplained(const WorkerActivity& during, const std::string& end) {
  return during.phase == Phase::kExplain && results_.is_pending(during.variant) &&
         results_.skip_evidence(during.variant, end);
}

bool PassRun::end_of_time(const WorkerActivity& during) {
  const std::string lines = place_.run.workers.worker().printed().last_lines();
  results_.keep_printed();
  place_.run.workers.reset();
  if (during.phase == Phase::kCalibrate) return true;
  if (goes_on_unexplained(during, "it took too long")) return true;
  results_.fail_pending({Status::kTimedOut,
                         fmt::format("still running after {:.4g} s (limits.timeout), in phase '{}'",
                                     place_.job.limits.timeout_s, name_of(during.phase)),
                         lines, false},
                        during);
  return !results_.pending().empty();
}

void PassRun::run_groups() {
  const Isolate isolate = place_.job.limits.isolate;
  // Groups of variants that share a worker.
  std::vector<std::vector<std::string>> groups{results_.pending()};
  if (isolate == Isolate::kVariant) {
    groups.clear();
    for (const std::string& variant : results_.pending()) groups.push_back({variant});
  }
  for (const std::vector<std::string>& group : groups) {
    for (bool again = true; again;) {
      const CaseRequest request = request_for(group);
      if (request.variants.empty()) break;
      again = run_once(request);
    }
    if (isolate != Isolate::kNone) place_.run.workers.reset();
    if (results_.outcome().was_interrupted) return;
  }
}

/// The worker exits by itself after its case, so that the tool finishes its log.
void PassRun::run_under_tool() {
  WorkerClient& workers = place_.run.workers;
  const ToolRun tool(find_compute_sanitizer(), *place_.pass.tool);
  workers.start_under(tool.prefix(), tool.environment());
  run_groups();
  workers.finish(0);
  workers.start_under({}, {});
  if (results_.outcome().was_interrupted) return;
  for (ResultRecord& record : results_.outcome().results) {
    std::string why_not;
    std::ranges::move(tool.findings(why_not), std::back_inserter(record.findings));
    record.add_note(NoteKind::kOther, why_not);
  }
}

PassOutcome PassRun::run() {
  place_.pass.tool ? run_under_tool() : run_groups();
  return std::move(results_.outcome());
}

}  // namespace kernelbatch
