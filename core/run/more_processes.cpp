// CaseSupervisor: further processes that time variants found correct by the first one.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/variant_kind.hpp"
#include "core/result/summarise.hpp"
#include "core/run/case_supervisor.hpp"

namespace kernelbatch {
namespace {

/// True if this status invalidates a correct result. Environment failures, such as missing memory
/// or compilers, do not.
bool speaks_against(const ResultRecord& record) {
  switch (record.status) {
    case Status::kVerificationFailed:
    case Status::kCrashed:
    case Status::kTimedOut:
    case Status::kSuspect:
    case Status::kUnsafe:
      return true;
    case Status::kFailed:
      return !record.retryable;
    default:
      return false;
  }
}

/// Adds the samples of one more process and updates the summary.
void add_samples(ResultRecord& known, const ResultRecord& more) {
  for (Sample sample : more.samples) {
    if (sample.kind == SampleKind::kHot) continue;
    sample.process = known.processes;
    known.samples.push_back(sample);
  }
  ++known.processes;
  const auto pool = [&](Summary& summary, const Summary& of_more, SampleKind kind) {
    std::vector<double> times;
    for (const Sample& sample : known.samples)
      if (sample.kind == kind && !std::isnan(sample.time)) times.push_back(sample.time);
    const std::int64_t dropped = summary.dropped + of_more.dropped;
    summary = summarise(times);
    summary.dropped = dropped;
  };
  pool(known.cold, more.cold, SampleKind::kCold);
  pool(known.host, more.host, SampleKind::kHost);
  if (known.checked_calls >= 0 && more.checked_calls >= 0)
    known.checked_calls += more.checked_calls;
  if (known.throttled >= 0 && more.throttled > 0) known.throttled += more.throttled;
}

}  // namespace

/// Adds a further process's times to the result, or the reason why the result is invalid.
void CaseSupervisor::add_times(ResultRecord record) {
  const auto known = std::ranges::find(record_.results, record.variant, &ResultRecord::variant);
  if (known == record_.results.end()) return;
  if (record.status == Status::kOk && !record.samples.empty()) return add_samples(*known, record);
  const std::string where = fmt::format("in process {} of {}", process_, job_.measure.processes);
  if (!speaks_against(record)) {
    known->add_note(NoteKind::kOther,
                    fmt::format("not timed {}: {}", where,
                                record.reason.empty() ? to_text(record.status) : record.reason));
    return;
  }
  if (known->status != Status::kOk) return;
  if (record.status == Status::kVerificationFailed) {
    known->verified = false;
    has_failed_ = true;
  }
  known->status = record.status;
  known->phase = record.phase;
  known->reason = fmt::format("{}: {}", where, record.reason);
  known->detail = record.detail;
}

void CaseSupervisor::time_again() {
  if (run_.is_profile || !run_.sanitize.empty()) return;
  const auto is_worth_more = [](const ResultRecord& record) {
    return record.status == Status::kOk && !record.samples.empty() && !record.is_reference();
  };
  for (process_ = 2; process_ <= job_.measure.processes && !was_interrupted_; ++process_) {
    for (const ResultRecord& record : record_.results)
      if (is_worth_more(record)) pending_.push_back(record.variant);
    if (pending_.empty()) break;
    run_.workers.reset();
    run_.observer.on_eta({.process = process_, .processes = job_.measure.processes});
    run_groups();
  }
  process_ = 1;
}

}  // namespace kernelbatch
