// PassRun: the messages of a worker.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/run/pass_run.hpp"
#include "core/run/reported.hpp"

namespace kernelbatch {
namespace {

/// Limit of progress messages per request.
constexpr std::size_t kMostPhases = 10'000'000;

}  // namespace

void PassRun::refuse_unasked() { throw RunError("it answered a request that was not sent"); }

PassRun::Next PassRun::take(Calibrated& calibrated, const CaseRequest&) {
  if (phase_ != Phase::kCalibrate)
    throw RunError("it reported a calibration that was not requested");
  run_.calibration = {calibrated.calibration};
  run_.observer.on_calibration(calibrated.calibration);
  return Next::kContinue;
}

PassRun::Next PassRun::take(CaseEta& left, const CaseRequest&) {
  if (++phases_ > kMostPhases) throw RunError("it sends too many progress messages");
  const auto is_time = [](double seconds) { return std::isfinite(seconds) && seconds >= 0; };
  if (!is_time(left.seconds) || !is_time(left.timing_s) || !is_time(left.evidence_s))
    return Next::kContinue;
  if (left.evidence_s > 0) run_.evidence_s = left.evidence_s;
  run_.observer.on_eta({.process = pass_.process,
                        .processes = job_.measure.processes,
                        .left_s = left.seconds,
                        .timing_s = left.timing_s});
  return Next::kContinue;
}

PassRun::Next PassRun::take(PhaseChange& change, const CaseRequest& request) {
  if (++phases_ > kMostPhases) throw RunError("it sends too many progress messages");
  const bool is_known =
      change.variant.empty() || change.variant == request.reference ||
      std::ranges::find(request.variants, change.variant) != request.variants.end();
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

PassRun::Next PassRun::take(Result& result, const CaseRequest&) {
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
    const auto first = history_.printed.find(record.variant);
    record.detail = first != history_.printed.end() ? std::string(trim(first->second))
                                                    : run_.workers.worker().printed().last_lines();
  }
  attribute_file_changes();
  if (const auto harm = history_.harm.find(record.variant); harm != history_.harm.end()) {
    record.status = Status::kFailed;
    record.phase = Phase::kRun;
    record.reason = "the variant " + harm->second;
    record.verified = false;
  }
  // Results that could not be written are a problem of the whole run.
  if (record.phase == Phase::kWrite)
    run_.problems.push_back(fmt::format("{}: {}", record.variant, record.reason));
  std::ranges::move(files, std::back_inserter(outcome_.spilled));
  const bool must_stop = pass_.stops_on_failure && record.status == Status::kVerificationFailed;
  const std::string variant = record.variant;
  add(std::move(record));
  ++results_;
  if (result.must_restart_worker) end_worker();
  if (must_stop) {
    skip_pending(variant);
    return Next::kDone;
  }
  if (result.must_restart_worker) return pending_.empty() ? Next::kDone : Next::kAgain;
  return Next::kContinue;
}

PassRun::Next PassRun::take(Found& found, const CaseRequest& request) {
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

PassRun::Next PassRun::take(Renew&, const CaseRequest&) {
  if (results_ == 0) throw RunError("it exited before its first result");
  run_.workers.reset();
  return pending_.empty() ? Next::kDone : Next::kAgain;
}

PassRun::Next PassRun::take(CaseDone& done, const CaseRequest& request) {
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

PassRun::Next PassRun::take(Failed& failed, const CaseRequest&) {
  if (failed.must_restart_worker) run_.workers.reset();
  // Only this message ends the run, so a second worker must confirm it.
  if (failed.cause == FailureCause::kNoDevice && !run_.workers.can_open(run_.purpose.device))
    throw DeviceError(failed.reason);
  phase_ = failed.phase;
  if (phase_ == Phase::kInputs || phase_ == Phase::kLoad) variant_.clear();
  fail_pending({failed.status, failed.reason, "", failed.is_retryable});
  // A failure of one variant does not affect the others.
  if (pending_.empty()) return Next::kDone;
  run_.workers.reset();
  return Next::kAgain;
}

}  // namespace kernelbatch
