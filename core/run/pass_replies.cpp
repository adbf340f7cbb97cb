#include "core/run/pass_replies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <variant>

#include "core/base/text.hpp"
#include "core/run/reported.hpp"

namespace kernelbatch {

PassReplies::Next PassReplies::take(Reply& reply) {
  return std::visit([this](auto& each) { return take(each); }, reply);
}

void PassReplies::count_progress() {
  constexpr std::size_t kMost = 10'000'000;
  if (++progress_ > kMost) throw RunError("it sends too many progress messages");
}

/// Ends a worker that cannot continue. A tool that watches it needs time to finish its log.
void PassReplies::end_worker() noexcept {
  constexpr double kSeconds = 60;
  if (place_.pass.tool)
    place_.run.workers.finish(kSeconds);
  else
    place_.run.workers.reset();
}

PassReplies::Next PassReplies::next_worker() const {
  return results_.pending().empty() ? Next::kDone : Next::kAgain;
}

PassReplies::Next PassReplies::take(Opened& opened) {
  if (activity_.phase != Phase::kLoad) throw RunError("it answered a request that was not sent");
  if (place_.run.ahead != nullptr) place_.run.ahead->use_device(opened.device, opened.is_open);
  return Next::kContinue;
}

PassReplies::Next PassReplies::take(Calibrated& calibrated) {
  if (activity_.phase != Phase::kCalibrate)
    throw RunError("it reported a calibration that was not requested");
  place_.run.calibration = {calibrated.calibration};
  place_.run.observer.on_calibration(calibrated.calibration);
  return Next::kContinue;
}

PassReplies::Next PassReplies::take(CaseEta& left) {
  count_progress();
  const auto is_time = [](double seconds) { return std::isfinite(seconds) && seconds >= 0; };
  if (!is_time(left.seconds) || !is_time(left.timing_s) || !is_time(left.evidence_s))
    return Next::kContinue;
  if (left.evidence_s > 0) place_.run.evidence_s = left.evidence_s;
  place_.run.observer.on_eta({.process = place_.pass.process,
                              .processes = place_.job.measure.processes,
                              .left_s = left.seconds,
                              .timing_s = left.timing_s});
  return Next::kContinue;
}

PassReplies::Next PassReplies::take(PhaseChange& change) {
  count_progress();
  const bool is_known =
      change.variant.empty() || change.variant == request_.reference ||
      std::ranges::find(request_.variants, change.variant) != request_.variants.end();
  if (!is_known)
    throw RunError(
        fmt::format("it reported a variant '{}' that was not requested", change.variant));
  if (change.variant.empty() && !activity_.variant.empty()) throw RunError("it restarted its case");
  if (change.phase == Phase::kCalibrate) {
    if (!request_.calibrates || place_.run.was_calibrated)
      throw RunError("it calibrates without a request");
    place_.run.was_calibrated = true;
  }
  if (change.variant != activity_.variant) results_.attribute_file_changes(activity_.variant);
  activity_ = {change.variant, change.phase};
  place_.run.observer.on_variant(place_.planned, activity_.variant, activity_.phase);
  if (change.is_turn) place_.run.workers.worker().send(to_frame(GoOn{}), Channel::Wait::kNever);
  return Next::kContinue;
}

/// Adds to a result what the supervisor knows about its variant.
void PassReplies::complete(ResultRecord& record) {
  const CaseHistory& history = place_.history;
  record.params = place_.planned.params;
  results_.keep_printed();
  // A kernel's assertion or a driver's message.
  if ((record.status == Status::kFailed || record.status == Status::kCrashed) &&
      record.detail.empty()) {
    // From the first call, or a later one; destructors may have printed more since.
    const auto first = history.printed.find(record.variant);
    record.detail = first != history.printed.end()
                        ? std::string(trim(first->second))
                        : place_.run.workers.worker().printed().last_lines();
  }
  results_.attribute_file_changes(activity_.variant);
  if (const auto harm = history.harm.find(record.variant); harm != history.harm.end()) {
    record.status = Status::kFailed;
    record.phase = Phase::kRun;
    record.reason = "the variant " + harm->second;
    record.verified = false;
  }
}

PassReplies::Next PassReplies::take(Result& result) {
  ResultRecord& record = result.record;
  if (record.case_id != place_.planned.case_id || !results_.is_pending(record.variant))
    throw RunError(
        fmt::format("it reported a result of variant '{}' of case '{}', which was not requested or "
                    "already exists",
                    record.variant, record.case_id));
  require_storable(record);
  require_plain_names(result.environment);
  std::vector<SpilledArray> files;
  for (SpilledOutput& output : result.outputs) {
    require_described(record, output);
    MappedFile file(output.file, output.output);
    require_size(record, output, file.bytes().size());
    files.push_back({record.variant, output.output, output.stride, std::move(file)});
  }
  complete(record);
  place_.run.environment.values = std::move(result.environment);
  // Results that could not be written are a problem of the whole run.
  if (record.phase == Phase::kWrite)
    place_.run.problems.push_back(fmt::format("{}: {}", record.variant, record.reason));
  std::ranges::move(files, std::back_inserter(results_.outcome().spilled));
  const bool must_stop =
      place_.pass.stops_on_failure && record.status == Status::kVerificationFailed;
  const std::string variant = record.variant;
  results_.add(std::move(record));
  ++count_;
  if (result.must_restart_worker) end_worker();
  if (must_stop) {
    place_.run.workers.reset();
    results_.skip_pending(variant);
    return Next::kDone;
  }
  return result.must_restart_worker ? next_worker() : Next::kContinue;
}

PassReplies::Next PassReplies::take(Found& found) {
  constexpr std::size_t kMost = 10'000;
  ResultRecord& record = found.record;
  if (request_.sanitize.empty() || !results_.is_pending(record.variant))
    throw RunError(
        fmt::format("it reported a fault in '{}', which is not being checked", record.variant));
  ResultRecord& known = results_.findings_of(record.variant);
  known.sanitized = request_.sanitize;
  if (known.findings.size() < kMost)
    std::ranges::move(record.findings, std::back_inserter(known.findings));
  return Next::kContinue;
}

PassReplies::Next PassReplies::take(Renew&) {
  if (count_ == 0) throw RunError("it exited before its first result");
  place_.run.workers.reset();
  return next_worker();
}

PassReplies::Next PassReplies::take(CaseDone& done) {
  for (const std::string& variant : request_.variants)
    if (results_.is_pending(variant)) {
      if (!results_.is_pending(activity_.variant)) activity_.variant = variant;
      throw RunError(fmt::format("it ended the case without a result of '{}'", variant));
    }
  if (done.must_restart_worker) end_worker();
  return Next::kDone;
}

PassReplies::Next PassReplies::take(Failed& failed) {
  RunState& run = place_.run;
  if (failed.must_restart_worker) run.workers.reset();
  // Only this message ends the run, so a second worker must confirm it.
  if (failed.cause == FailureCause::kNoDevice && !run.workers.can_open(run.purpose.device))
    throw DeviceError(failed.reason);
  activity_.phase = failed.phase;
  if (failed.phase == Phase::kInputs || failed.phase == Phase::kLoad) activity_.variant.clear();
  results_.fail_pending({failed.status, failed.reason, "", failed.is_retryable}, activity_);
  // A failure of one variant does not affect the others.
  if (results_.pending().empty()) return Next::kDone;
  run.workers.reset();
  return Next::kAgain;
}

}  // namespace kernelbatch
