#include "core/report/compare_pair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/statistics.hpp"
#include "core/base/text.hpp"
#include "core/report/host_times.hpp"
#include "core/report/rank_test.hpp"
#include "core/result/summarise.hpp"

namespace kernelbatch {
namespace {

std::vector<double> times_of(const ResultRecord& record) {
  std::vector<double> times;
  for (const Sample& sample : record.samples)
    if (sample.kind == record.ranked_kind() && !std::isnan(sample.time))
      times.push_back(sample.time);
  return times;
}

/// Mean clock during the ranked samples, Hz; NaN if it was not read.
double clock_of(const ResultRecord& record) {
  std::vector<double> clocks;
  for (const Sample& sample : record.samples)
    if (sample.kind == record.ranked_kind() && sample.sm_clock > 0)
      clocks.push_back(sample.sm_clock);
  return clocks.empty() ? kMissing : median_of(std::move(clocks));
}

RunTimes run_of(const FoundResult& found, const std::vector<double>& times) {
  RunTimes run{.summary = found.record->ranked_summary(),
               .launches = std::max<std::int64_t>(found.record->kernel_launches, 1)};
  // The stored interval is for another run; the judgement accounts for that itself.
  if (found.record->processes > 0 && !times.empty()) run.summary = summarise(times);
  run.step = timer_step(times);
  run.clock = clock_of(*found.record);
  run.noise_floor = kMissing;
  for (const DeviceCalibration& calibration : found.file->calibration) {
    if (calibration.device != found.record->device) continue;
    if (calibration.noise_floor >= 0) run.noise_floor = calibration.noise_floor;
    if (calibration.launch_jitter > 0) run.launch_jitter = calibration.launch_jitter;
  }
  return run;
}

/// Each process that timed a result counts as a run, unless both sides have the same processes.
std::vector<RunTimes> runs_of(const std::vector<FoundResult>& side, bool by_process) {
  std::vector<RunTimes> runs;
  for (const FoundResult& found : side) {
    const ResultRecord& record = *found.record;
    const auto parts = by_process ? times_by_process(record, record.ranked_kind())
                                  : std::vector<std::vector<double>>{};
    const UsualDeviation usual = usual_deviation(record);
    if (parts.size() > 1) {
      for (const std::vector<double>& times : parts) {
        runs.push_back(run_of(found, times));
        runs.back().usual = usual.processes;
        runs.back().shared = std::isnan(runs.back().clock) ? usual.runs : usual.runs_at_one_clock;
      }
    } else {
      const double processes = static_cast<double>(std::max<std::int64_t>(record.processes, 1));
      runs.push_back(run_of(found, times_of(record)));
      runs.back().usual = std::hypot(usual.processes / std::sqrt(processes), usual.runs);
    }
  }
  return runs;
}

bool has_time(const ResultRecord& record) {
  const double time = record.ranked_time();
  return time > 0 && std::isfinite(time);
}

/// Reason why a side has no time to compare; empty if it has one.
std::string why_missing(const std::vector<FoundResult>& side, std::size_t runs,
                        std::string_view name) {
  if (side.empty()) return fmt::format("not in {}", name);
  for (const FoundResult& found : side) {
    if (found.record->status != Status::kOk)
      return fmt::format("{} in {}", to_text(found.record->status), name);
    if (!has_time(*found.record)) return fmt::format("not timed in {}", name);
  }
  if (side.size() < runs) return fmt::format("in {} of {} runs of {}", side.size(), runs, name);
  return "";
}

bool was_not_run(const FoundResult& found) { return found.record->status == Status::kSkipped; }

Loss loss_of(const std::vector<FoundResult>& a, const std::vector<FoundResult>& b,
             std::size_t runs_b) {
  const bool was_tried =
      std::ranges::any_of(a, [](const FoundResult& f) { return !was_not_run(f); });
  const bool was_right =
      std::ranges::any_of(a, [](const FoundResult& f) { return has_time(*f.record); });
  Loss loss = b.size() < runs_b && was_tried ? Loss::kAbsent : Loss::kNone;
  for (const FoundResult& found : b) {
    if (found.record->status == Status::kVerificationFailed ||
        found.record->status == Status::kSuspect || found.record->status == Status::kUnsafe)
      return Loss::kWrong;
    // A search may try other configurations next time.
    if (found.record->status == Status::kDropped) continue;
    const bool is_lost = was_not_run(found) || found.record->status == Status::kOk
                             ? was_right && !has_time(*found.record)
                             : true;
    if (is_lost) loss = Loss::kFailed;
  }
  return loss;
}

/// Empty unless A's results were compared with a reference and one of B's was not.
std::string why_unverified(const std::vector<FoundResult>& a, const std::vector<FoundResult>& b) {
  const auto is_verified = [](const FoundResult& found) { return found.record->verified; };
  return std::ranges::all_of(a, is_verified) && !std::ranges::all_of(b, is_verified)
             ? "verified in A, not in B"
             : "";
}

bool has_one_set(const std::vector<FoundResult>& side) {
  return std::ranges::any_of(side,
                             [](const FoundResult& found) { return found.record->is_one_set(); });
}

std::string one_set_text(const ComparedPair& pair) {
  if (!pair.is_one_set_a && !pair.is_one_set_b) return "";
  if (pair.is_one_set_a && pair.is_one_set_b) return "one set";
  return pair.is_one_set_a ? "one set in A" : "one set in B";
}

void check_devices(const ComparedPair& pair, const std::vector<FoundResult>& a,
                   const std::vector<FoundResult>& b) {
  for (const auto* side : {&a, &b})
    for (const FoundResult& found : *side)
      if (found.record->device != pair.device_a)
        throw SpecError(fmt::format(
            "case '{}', variant '{}' ran on '{}' in {} and on '{}' in {}: times of different "
            "devices are not comparable (--different-devices compares them anyway)",
            pair.case_id, pair.variant, pair.device_a, "A", found.record->device,
            side == &a ? "another run of A" : "B"));
}

/// Empty if all runs have the same kind of times.
std::string different_kinds(const std::vector<FoundResult>& a, const std::vector<FoundResult>& b) {
  const SampleKind first = a.front().record->ranked_kind();
  for (const auto* side : {&a, &b})
    for (const FoundResult& found : *side)
      if (const SampleKind kind = found.record->ranked_kind(); kind != first)
        return fmt::format("{} times in A, {} times in {}", name_of(first), name_of(kind),
                           side == &a ? "another run of A" : "B");
  return "";
}

double rank_test(const std::vector<FoundResult>& a, const std::vector<FoundResult>& b) {
  if (a.size() == 1 && b.size() == 1)
    return mann_whitney(times_of(*a.front().record), times_of(*b.front().record)).p;
  const auto medians = [](const std::vector<FoundResult>& side) {
    std::vector<double> values;
    for (const FoundResult& found : side) values.push_back(found.record->ranked_summary().median);
    return values;
  };
  return mann_whitney(medians(a), medians(b)).p;
}

/// Sets the verdict about the times of two sides, each of which has one.
void judge_times(ComparedPair& pair, const std::vector<FoundResult>& a,
                 const std::vector<FoundResult>& b, const CompareOptions& options) {
  const bool is_same_run = a.front().file == b.front().file;
  const DeviceClass device_a = class_of_device(pair.device_a);
  const DeviceClass device_b = class_of_device(pair.device_b);
  const bool on_host = device_a == DeviceClass::kHost || device_b == DeviceClass::kHost;
  // Processes of one run share most causes of variation, so they count as runs only if each side
  // has one run, and not on the host, whose times depend on the machine's other load.
  const bool by_process = !is_same_run && !on_host && a.size() == 1 && b.size() == 1;
  pair.judgement = judge(runs_of(a, by_process), runs_of(b, by_process),
                         {.gap = options.gap,
                          .is_host = on_host,
                          .is_by_process = by_process,
                          .is_same_run = is_same_run});
  pair.is_not_compared = !are_judged(device_a, options.has_host_times) ||
                         !are_judged(device_b, options.has_host_times);
  if (!pair.is_not_compared) {
    pair.rank_p = rank_test(a, b);
    return;
  }
  leave_undecided(pair.judgement);
  pair.judgement.p = kMissing;
}

/// Differences in what two results were built from; empty if none are known.
std::string differences(const ResultRecord& a, const ResultRecord& b) {
  std::vector<std::string> what;
  if (a.case_id != b.case_id)
    what.push_back(a.workload_version != b.workload_version
                       ? fmt::format("version {} for {}", b.workload_version, a.workload_version)
                       : std::string("other inputs"));
  if (!a.kernel_hash.empty() && !b.kernel_hash.empty() && a.kernel_hash != b.kernel_hash)
    what.emplace_back("other kernel text");
  return join(what);
}

}  // namespace

ComparedPair compare_pair(const ComparedSide& side_a, const ComparedSide& side_b,
                          const std::string& name, const CompareOptions& options) {
  const std::vector<FoundResult>&a = side_a.found, &b = side_b.found;
  const ResultRecord& known = *(a.empty() ? b : a).front().record;
  ComparedPair pair;
  pair.case_id = known.case_id;
  pair.workload = known.workload;
  pair.variant = name;
  pair.params = known.params;
  if (!a.empty()) pair.device_a = a.front().record->device;
  if (!b.empty()) pair.device_b = b.front().record->device;
  pair.loss = loss_of(a, b, side_b.runs);
  const std::string of_a = why_missing(a, side_a.runs, "A");
  const std::string of_b = why_missing(b, side_b.runs, "B");
  pair.note = of_a + (of_a.empty() || of_b.empty() ? "" : ", ") + of_b;
  if (!pair.note.empty()) return pair;
  if (!options.allows_different_devices) check_devices(pair, a, b);
  pair.runs_a = std::ssize(a);
  pair.runs_b = std::ssize(b);
  pair.note = different_kinds(a, b);
  if (!pair.note.empty()) {
    pair.judgement.verdict = Verdict::kUnsure;
    return pair;
  }
  const std::string what = differences(*a.front().record, *b.front().record);
  judge_times(pair, a, b, options);
  const std::string unverified = why_unverified(a, b);
  if (!unverified.empty() && pair.judgement.verdict != Verdict::kSlower) {
    pair.judgement.verdict = Verdict::kUnsure;
    pair.judgement.note = unverified;
  }
  pair.is_one_set_a = has_one_set(a);
  pair.is_one_set_b = has_one_set(b);
  pair.note = join_nonempty({pair.judgement.note, what, one_set_text(pair)});
  return pair;
}

}  // namespace kernelbatch
