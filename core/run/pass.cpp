#include "core/run/pass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/result/summarise.hpp"

namespace kernelbatch {
namespace {

/// `run --sanitize=gpu` and `both`: one tool after the other for each variant, because a log does
/// not identify the variant of a kernel.
std::vector<Pass> passes_under_tools(const RunPurpose& run,
                                     const std::vector<std::string>& variants) {
  std::vector<Pass> passes;
  Pass pass{.kind = PassKind::kChecks,
            .device = "host",
            .checks = to_text(run.sanitize.kinds),
            .tool = {}};
  if (run.sanitize.place == CheckPlace::kBoth) {
    passes.push_back(pass);
    passes.back().variants = variants;
  }
  pass.device = run.device;
  for (const std::string& variant : variants)
    for (const CheckKind kind : run.sanitize.kinds) {
      pass.tool = kind;
      pass.variants = {variant};
      passes.push_back(pass);
    }
  return passes;
}

/// True if this status invalidates a correct result. Environment failures, such as missing memory
/// or compilers, do not.
bool invalidates(const ResultRecord& record) {
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

std::vector<Pass> passes_of(const RunPurpose& run, const JobSpec& job,
                            const PlannedWorkload& workload,
                            const std::vector<std::string>& variants) {
  const bool only_checks = !run.sanitize.empty();
  if (only_checks && run.sanitize.place != CheckPlace::kHost)
    return passes_under_tools(run, variants);
  std::vector<Pass> passes;
  Pass times{.device = run.device, .checks = to_text(run.sanitize.kinds), .tool = {}};
  times.stops_on_failure = workload.spec.verify.on_fail != OnFail::kRecord;
  const CheckKinds& kinds = workload.spec.verify.sanitize;
  if (!kinds.empty() && !only_checks && !run.is_profile)
    passes.push_back(
        {.kind = PassKind::kChecks, .device = "host", .checks = to_text(kinds), .tool = {}});
  passes.push_back(times);
  if (only_checks || run.is_profile) return passes;
  times.kind = PassKind::kMoreTimes;
  for (times.process = 2; times.process <= job.measure.processes; ++times.process)
    passes.push_back(times);
  return passes;
}

void merge_checks(ResultRecord& known, ResultRecord more) {
  std::vector<FindingRecord> findings = std::move(known.findings);
  std::ranges::move(more.findings, std::back_inserter(findings));
  if (known.status == Status::kOk && more.status != Status::kOk) {
    more.notes = std::move(known.notes);
    known = std::move(more);
  }
  known.findings = std::move(findings);
}

void merge_times(ResultRecord& known, const ResultRecord& more, const std::string& where) {
  if (more.status == Status::kOk && !more.samples.empty()) return add_samples(known, more);
  if (!invalidates(more)) {
    known.add_note(NoteKind::kOther,
                   fmt::format("not timed {}: {}", where,
                               more.reason.empty() ? to_text(more.status) : more.reason));
    return;
  }
  if (known.status != Status::kOk) return;
  if (more.status == Status::kVerificationFailed) known.verified = false;
  known.status = more.status;
  known.phase = more.phase;
  known.reason = fmt::format("{}: {}", where, more.reason);
  known.detail = more.detail;
}

bool may_be_timed_again(const ResultRecord& record) noexcept {
  return record.status == Status::kOk && !record.samples.empty() && !record.is_reference();
}

}  // namespace kernelbatch
