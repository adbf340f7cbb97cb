// PassRun: runs one pass of a case in worker processes until each of its variants has a result.
#pragma once

#include <cstddef>
#include <cstdint>
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

struct PassOutcome {
  std::vector<ResultRecord> results;
  std::vector<SpilledArray> spilled;
  bool was_interrupted = false;
};

class PassRun {
 public:
  /// All arguments must outlive this object.
  PassRun(RunState& run, const JobSpec& job, const PlannedWorkload& workload,
          const PlannedCase& planned, const Pass& pass, CaseHistory& history);

  /// Throws DeviceError if there is no device, RunError if no worker can be started,
  /// EnvironmentError without the pass's tool.
  PassOutcome run();

 private:
  enum class Next { kContinue, kAgain, kDone };
  struct Failure {
    Status status;
    std::string reason, detail;
    bool is_retryable;
  };

  void run_groups();
  void run_under_tool();
  bool run_once(const CaseRequest& request);
  CaseRequest request_for(const std::vector<std::string>& variants) const;
  bool is_pending(const std::string& variant) const;
  void add(ResultRecord record);
  void end_worker() noexcept;

  // Workers that end, forge messages or change files: pass_failures.cpp.
  bool end_of_time();
  bool lose_worker();
  bool goes_on_unexplained(const std::string& end);
  bool fail_forger(const Failure& failure);
  ResultRecord failure_of(const std::string& variant) const;
  void fail_pending(const Failure& failure);
  void skip_pending(const std::string& failed);
  void attribute_file_changes();
  void keep_printed();

  // Handlers of replies: pass_replies.cpp. They throw if a reply is invalid.
  Next take(PhaseChange& change, const CaseRequest& request);
  Next take(CaseEta& left, const CaseRequest& request);
  Next take(Calibrated& calibrated, const CaseRequest& request);
  Next take(Result& result, const CaseRequest& request);
  Next take(Found& found, const CaseRequest& request);
  Next take(Renew& renew, const CaseRequest& request);
  Next take(CaseDone& done, const CaseRequest& request);
  Next take(Failed& failed, const CaseRequest& request);
  template <class Unasked>
  Next take(Unasked&, const CaseRequest&) {
    refuse_unasked();
  }
  [[noreturn]] static void refuse_unasked();

  RunState& run_;
  const JobSpec& job_;
  const PlannedWorkload& workload_;
  const PlannedCase& planned_;
  const Pass& pass_;
  CaseHistory& history_;
  std::vector<std::string> pending_;    ///< variants without a result
  std::map<std::string, int> crashes_;  ///< per variant
  /// Variants whose worker ended while gathering evidence, and how it ended.
  std::map<std::string, std::string> unexplained_;
  std::map<std::string, ResultRecord> found_;  ///< findings so far, per variant
  std::string variant_;                        ///< current variant of the worker
  Phase phase_ = Phase::kLoad;
  std::size_t phases_ = 0, results_ = 0;  ///< number of messages of this request
  PassOutcome outcome_;
};

}  // namespace kernelbatch
