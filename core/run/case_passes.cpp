#include "core/run/case_passes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <utility>

#include "core/case/findings.hpp"
#include "core/result/ceiling.hpp"
#include "core/run/pass.hpp"
#include "core/run/pass_run.hpp"

namespace kernelbatch {
namespace {

template <class Records>
auto* find(Records& records, const std::string& variant) {
  const auto found = std::ranges::find(records, variant, &ResultRecord::variant);
  return found == records.end() ? nullptr : &*found;
}

/// Merges the results of a case's passes.
class PassResults {
 public:
  PassResults(const RunState& run, const JobSpec& job, const PlannedWorkload& workload,
              const PlannedCase& planned, const std::string& made_of)
      : run_(run), job_(job), workload_(workload), planned_(planned), made_of_(made_of) {
    outcome_.record.case_id = planned.case_id;
  }

  /// Removes final results of earlier runs from `variants`.
  void take_known(std::vector<FinishedResult> known, std::vector<std::string>& variants,
                  CaseHistory& history) {
    for (FinishedResult& each : known) {
      if (is_final(each, job_.limits.retries)) {
        if (std::erase(variants, each.variant) > 0)
          outcome_.earlier.push_back(std::move(each).record());
      } else if (each.changes.empty()) {
        if (!each.retryable) history.crashes[each.variant] = static_cast<int>(each.order.attempt);
        history.attempt = std::max(history.attempt, each.order.attempt + 1);
      }
    }
  }

  /// Variants of a pass, of those that have no final result of an earlier run.
  std::vector<std::string> variants_of(const Pass& pass,
                                       const std::vector<std::string>& variants) const {
    if (!pass.variants.empty()) return pass.variants;
    std::vector<std::string> chosen;
    std::ranges::copy_if(variants, std::back_inserter(chosen), [&](const std::string& variant) {
      const ResultRecord* const known = find(outcome_.record.results, variant);
      return pass.kind == PassKind::kMoreTimes ? known != nullptr && may_be_timed_again(*known)
                                               : known == nullptr;
    });
    return chosen;
  }

  void take(const Pass& pass, PassOutcome made, bool are_times_next) {
    for (ResultRecord& record : made.results) {
      if (pass.kind == PassKind::kMoreTimes) {
        merge_times(*find(outcome_.record.results, record.variant), record,
                    fmt::format("in process {} of {}", pass.process, job_.measure.processes));
      } else if (pass.kind == PassKind::kTimes ||
                 (are_times_next && record.status == Status::kUnsafe)) {
        take_arrays(record.variant, made.spilled);
        add(std::move(record));
      } else {
        add_checked(std::move(record));
      }
    }
    for (const ResultRecord& record : outcome_.record.results)
      outcome_.has_failed = outcome_.has_failed || record.status == Status::kVerificationFailed;
  }

  /// After an interruption: keeps the results that no later pass would have changed. `passes` are
  /// the interrupted pass, which made results of `made`, and those after it.
  void keep_finished(std::span<const Pass> passes, const std::vector<std::string>& made) {
    const Pass& last = passes.front();
    const bool has_later = std::ranges::any_of(
        passes.subspan(1), [](const Pass& pass) { return pass.kind == PassKind::kMoreTimes; });
    const auto is_finished = [&](const ResultRecord& record) {
      return !may_be_timed_again(record) ||
             (!has_later && (last.kind != PassKind::kMoreTimes ||
                             std::ranges::find(made, record.variant) != made.end()));
    };
    std::vector<ResultRecord>& results = outcome_.record.results;
    std::erase_if(results, [&](const ResultRecord& record) { return !is_finished(record); });
    std::vector<SpilledArray> kept;
    for (SpilledArray& array : outcome_.spilled)
      if (find(results, array.variant) != nullptr) kept.push_back(std::move(array));
    outcome_.spilled.swap(kept);
  }

  /// Without times the results are those of the checks.
  void finish_checks(const std::vector<std::string>& variants) {
    for (const std::string& variant : variants) {
      ResultRecord record = std::move(checked_.at(variant));
      checked_.erase(variant);
      std::vector<FindingRecord> findings = std::move(record.findings);
      add_findings(record, to_text(run_.purpose.sanitize.kinds), std::move(findings));
      outcome_.has_failed = outcome_.has_failed || record.status == Status::kVerificationFailed;
      add(std::move(record));
    }
  }

  CaseOutcome& outcome() noexcept { return outcome_; }

 private:
  void take_arrays(const std::string& variant, std::vector<SpilledArray>& spilled) {
    for (SpilledArray& array : spilled)
      if (array.variant == variant) outcome_.spilled.push_back(std::move(array));
  }

  void add_checked(ResultRecord record) {
    for (OutputRecord& output : record.outputs) output.stride = 0;
    const auto [known, is_new] = checked_.try_emplace(record.variant, record);
    if (!is_new) merge_checks(known->second, std::move(record));
  }

  void add(ResultRecord record) {
    if (const auto known = checked_.find(record.variant); known != checked_.end()) {
      const ResultRecord& checked = known->second;
      if (checked.status == Status::kOk || checked.status == Status::kVerificationFailed)
        record.sanitized = checked.sanitized;
      else
        record.add_note(NoteKind::kSanitizer, checked.reason);
      record.findings = checked.findings;
      std::ranges::copy_if(
          checked.counters, std::back_inserter(record.counters),
          [](const CounterRecord& each) { return each.source == EvidenceSource::kReplay; });
    }
    record.workload = workload_.name;
    record.run = run_.number;
    record.made_of = made_of_;
    if (!record.samples.empty()) record.processes = 1;
    record.plan_index = static_cast<std::int64_t>(planned_.number);
    record.variant_index =
        std::ranges::find(workload_.variants, record.variant) - workload_.variants.begin();
    if (const auto& tune = workload_.spec.tune)
      for (const Scalar& name : tune->params)
        record.tuned += (record.tuned.empty() ? "" : " ") + name.text;
    doubt_by_memory(record, run_.calibration);
    outcome_.record.results.push_back(std::move(record));
  }

  const RunState& run_;
  const JobSpec& job_;
  const PlannedWorkload& workload_;
  const PlannedCase& planned_;
  const std::string& made_of_;
  CaseOutcome outcome_;
  /// Results of checks, for variants that are also timed or run under further checks: findings, or
  /// why they could not be checked.
  std::map<std::string, ResultRecord> checked_;
};

}  // namespace

CaseOutcome run_passes(RunState& run, const JobSpec& job, const PlannedWorkload& workload,
                       const PlannedCase& planned, const std::string& made_of,
                       std::vector<FinishedResult> known) {
  PassResults results(run, job, workload, planned, made_of);
  CaseHistory history;
  std::vector<std::string> variants =
      planned.variants.empty() ? workload.variants : planned.variants;
  results.take_known(std::move(known), variants, history);
  const std::vector<Pass> passes = passes_of(run.purpose, job, workload, variants);
  const auto is_of_times = [](const Pass& pass) { return pass.kind == PassKind::kTimes; };
  const bool has_times = std::ranges::any_of(passes, is_of_times);
  CaseOutcome& outcome = results.outcome();
  for (std::size_t k = 0; k < passes.size(); ++k) {
    Pass pass = passes[k];
    pass.variants = results.variants_of(pass, variants);
    if (pass.variants.empty()) continue;
    if (pass.kind == PassKind::kMoreTimes) {
      if (outcome.has_failed && pass.stops_on_failure) break;
      run.workers.reset();
      run.observer.on_eta({.process = pass.process, .processes = job.measure.processes});
    }
    PassOutcome made = PassRun({run, job, workload, planned, pass, history}).run();
    const bool was_interrupted = made.was_interrupted;
    outcome.interrupted = std::move(made.interrupted);
    std::vector<std::string> variants_made;
    for (const ResultRecord& record : made.results) variants_made.push_back(record.variant);
    results.take(pass, std::move(made), has_times);
    if (was_interrupted) {
      results.keep_finished(std::span(passes).subspan(k), variants_made);
      outcome.was_interrupted = true;
      return std::move(outcome);
    }
  }
  if (!has_times) results.finish_checks(variants);
  return std::move(outcome);
}

}  // namespace kernelbatch
