// VariantResults: the results of one pass so far, and the variants that still need one.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/job/spec.hpp"
#include "core/result/record.hpp"
#include "core/run/pass.hpp"
#include "core/run/plan.hpp"
#include "core/run/run_state.hpp"

namespace kernelbatch {

/// Facts about a case's variants from earlier passes and runs.
struct CaseHistory {
  std::int64_t attempt = 1;
  std::map<std::string, int> crashes;          ///< in earlier runs, per variant
  std::map<std::string, std::string> harm;     ///< damage to the run's files, per variant
  std::map<std::string, std::string> printed;  ///< text printed by the first call, per variant
};

/// A pass and what it belongs to, all of which outlives its run.
struct PassPlace {
  RunState& run;
  const JobSpec& job;
  const PlannedWorkload& workload;
  const PlannedCase& planned;
  const Pass& pass;
  CaseHistory& history;
};

struct PassOutcome {
  std::vector<ResultRecord> results;
  std::vector<SpilledArray> spilled;
  bool was_interrupted = false;
  std::string interrupted = {};  ///< variant that was running; empty before the first one
};

/// Activity of a worker, according to its messages.
struct WorkerActivity {
  std::string variant = {};  ///< empty before the first one
  Phase phase = Phase::kLoad;
};

class VariantResults {
 public:
  explicit VariantResults(const PassPlace& place);

  /// Variants without a result.
  const std::vector<std::string>& pending() const noexcept { return pending_; }
  bool is_pending(const std::string& variant) const;
  void add(ResultRecord record);
  /// Findings so far of a variant, for its result if it fails.
  ResultRecord& findings_of(const std::string& variant) { return found_[variant]; }
  PassOutcome& outcome() noexcept { return outcome_; }

  struct Failure {
    Status status;
    std::string reason, detail;
    bool is_retryable;
  };
  void fail_pending(const Failure& failure, const WorkerActivity& during);
  /// A message was forged during a variant, which is not retried: a result that it already has is
  /// invalidated.
  void fail_forger(const Failure& failure, const WorkerActivity& during);
  /// `failed` was wrong, and verify.on_fail ends the pass.
  void skip_pending(const std::string& failed);

  /// Gathering the variant's evidence ended its worker in this way. Returns false if that is known,
  /// so that rerunning the variant without evidence does not help.
  bool skip_evidence(const std::string& variant, const std::string& end);
  /// Variants that run without evidence.
  std::vector<std::string> unexplained() const;

  /// Checks and restores the files that the run needs. A missing file existed before `running`
  /// started.
  void attribute_file_changes(const std::string& running);
  /// Keeps the text printed by kernels in their first calls, which outlives the worker.
  void keep_printed();

 private:
  ResultRecord begin_record(const std::string& variant, Status status) const;

  const PassPlace& place_;
  std::vector<std::string> pending_;
  /// Variants whose worker ended while gathering evidence, and how it ended.
  std::map<std::string, std::string> unexplained_;
  std::map<std::string, ResultRecord> found_;
  PassOutcome outcome_;
};

}  // namespace kernelbatch
