// PassRun: workers that end, forge messages or change files.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/clock.hpp"
#include "core/base/error.hpp"
#include "core/run/pass_run.hpp"

namespace kernelbatch {

ResultRecord PassRun::failure_of(const std::string& variant) const {
  ResultRecord record;
  record.case_id = planned_.case_id;
  record.workload = workload_.name;
  record.workload_version = workload_.info.version;
  record.variant = variant;
  for (const VariantDeclaration& each : workload_.info.variants)
    if (each.name == variant) record.kind = each.kind;
  record.params = planned_.params;
  record.device = run_.purpose.device;
  record.status = Status::kFailed;
  record.start_ns = record.end_ns = unix_time_ns();
  return record;
}

/// A failure before the first variant affects the whole case; later ones affect only that variant.
void PassRun::fail_pending(const Failure& failure) {
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
    if (const auto harm = history_.harm.find(variant); harm != history_.harm.end())
      record.reason += "; the variant " + harm->second;
    record.detail = failure.detail;
    add(std::move(record));
  }
}

/// `verify.on_fail` ends the pass after a wrong result, so its worker is ended too.
void PassRun::skip_pending(const std::string& failed) {
  run_.workers.reset();
  for (const std::string& variant : std::vector<std::string>(pending_)) {
    ResultRecord record = failure_of(variant);
    record.status = Status::kSkipped;
    record.reason = fmt::format("'{}' failed its verification (verify.on_fail: {})", failed,
                                name_of(workload_.spec.verify.on_fail));
    add(std::move(record));
  }
}

/// Keeps the text printed by kernels in their first calls, which outlives the worker.
void PassRun::keep_printed() {
  for (const std::string& variant : workload_.variants)
    if (std::string text = run_.workers.worker().printed().take_first_call(variant); !text.empty())
      history_.printed[variant] = std::move(text);
}

/// The worker ended, or sent an untrusted message. Returns whether the case needs another worker.
bool PassRun::lose_worker() {
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
    ++history_.attempt;
    return true;
  }
  fail_pending({Status::kCrashed,
                fmt::format("the worker ended in phase '{}': {}", name_of(phase_), end), lines,
                was_killed});
  return !pending_.empty();
}

/// Reruns a variant without evidence if gathering it ended the worker. Returns false if that is not
/// what ended it.
bool PassRun::goes_on_unexplained(const std::string& end) {
  if (phase_ != Phase::kExplain || !is_pending(variant_)) return false;
  return unexplained_.emplace(variant_, end).second;
}

/// Handles a message forged while variant_ ran. The variant is not retried, and a result that it
/// already has is invalidated. Returns whether the case needs another worker.
bool PassRun::fail_forger(const Failure& failure) {
  const auto known = std::ranges::find(outcome_.results, variant_, &ResultRecord::variant);
  // If the reference always forges, nothing can be verified.
  if (known == outcome_.results.end() || known->status == failure.status) {
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

bool PassRun::end_of_time() {
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
void PassRun::attribute_file_changes() {
  const std::string what = run_.place.repair();
  if (what.empty()) return;
  if (!is_pending(variant_)) warn(fmt::format("'{}' or another process {}", variant_, what));
  std::string& harm = history_.harm[variant_];
  harm += (harm.empty() ? "" : ", ") + what;
}

}  // namespace kernelbatch
