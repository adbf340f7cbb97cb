// CaseSupervisor: workers that end, forge messages or change files.
#include <fmt/format.h>

#include <algorithm>

#include "core/run/case_supervisor.hpp"

namespace kernelbatch {

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

}  // namespace kernelbatch
