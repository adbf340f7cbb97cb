// CaseSupervisor: runs one case in worker processes until each of its variants has a result.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/file.hpp"
#include "core/job/spec.hpp"
#include "core/result/record.hpp"
#include "core/run/finished_results.hpp"
#include "core/run/output_place.hpp"
#include "core/run/plan.hpp"
#include "core/run/run_observer.hpp"
#include "core/run/worker_client.hpp"

namespace kernelbatch {

/// State shared by the cases of a run.
struct RunState {
  WorkerClient& workers;
  OutputPlace& place;
  RunObserver& observer;
  std::string device;             ///< resolved selector: "host", "cuda:0"
  std::string spill_folder = {};  ///< where workers write outputs; empty: none are stored
  bool is_profile = false;        ///< a few plain runs, for an external profiler
  std::string sanitize = {};      ///< checks to run instead of timing; empty: none
  CheckPlace sanitize_on = CheckPlace::kHost;
  std::int64_t number = -1;  ///< ResultRecord::run of this run's results
  EnvironmentRecord environment = {};
  std::vector<DeviceCalibration> calibration = {};  ///< of this job's device, once known
  bool was_calibrated = false;                      ///< or cannot be calibrated
  double evidence_s = 0;                            ///< of one variant, most recent; 0 = unknown
  std::vector<std::string> problems = {};           ///< results that could not be written
};

/// An array to be stored.
struct SpilledArray {
  std::string variant, output;
  std::int64_t stride = 1;
  MappedFile file;
};

class CaseSupervisor {
 public:
  /// `made_of` is stored with every result (ResultRecord::made_of). All other arguments must
  /// outlive this object.
  CaseSupervisor(RunState& run, const JobSpec& job, const PlannedWorkload& workload,
                 const PlannedCase& planned, std::string made_of);

  /// Runs variants without a final result in `known`. Throws DeviceError if there is no device,
  /// RunError if no worker can be started.
  void run(std::vector<FinishedResult> known);

  /// True if the run was interrupted: the case has no result.
  bool was_interrupted() const noexcept { return was_interrupted_; }
  /// True if a result was wrong.
  bool has_failed() const noexcept { return has_failed_; }
  /// Results of this run, and final results of earlier runs.
  CaseRecord& record() noexcept { return record_; }
  std::vector<ResultRecord>& earlier() noexcept { return earlier_; }
  const std::vector<SpilledArray>& spilled() const noexcept { return spilled_; }

 private:
  enum class Next { kContinue, kAgain, kDone };
  struct Failure {
    Status status;
    std::string reason, detail;
    bool is_retryable;
  };

  CaseRequest request_for(const std::vector<std::string>& variants) const;
  bool run_once(const CaseRequest& request);
  bool end_of_time();
  bool lose_worker();
  bool goes_on_unexplained(const std::string& end);
  bool fail_forger(const Failure& failure);
  void take_known(std::vector<FinishedResult> known);
  void run_groups();
  // Further processes that time correct variants: more_processes.cpp.
  void time_again();
  void add_times(ResultRecord record);
  void end_worker() noexcept;

  // Runs under checks: case_checks.cpp.
  void sanitize_first();
  void sanitize_instead();
  void run_tools(const std::string& variant);
  void hold(ResultRecord record);
  bool is_held(const ResultRecord& record) const;

  // Handlers of replies. They throw if a reply is invalid.
  Next take(PhaseChange& change, const CaseRequest& request);
  Next take(CaseEta& left, const CaseRequest& request);
  Next take(Calibrated& calibrated, const CaseRequest& request);
  Next take(Result& result, const CaseRequest& request);
  Next take(Found& found, const CaseRequest& request);
  Next take(Renew& renew, const CaseRequest& request);
  Next take(CaseDone& done, const CaseRequest& request);
  Next take(Failed& failed, const CaseRequest& request);
  Next take(Described&, const CaseRequest&) { refuse_unasked(); }
  Next take(CaseFootprints&, const CaseRequest&) { refuse_unasked(); }
  Next take(Opened&, const CaseRequest&) { refuse_unasked(); }
  Next take(Compiled&, const CaseRequest&) { refuse_unasked(); }
  [[noreturn]] static void refuse_unasked();

  ResultRecord failure_of(const std::string& variant) const;
  void add_result(ResultRecord record);
  void fail_pending(const Failure& failure);
  void stop_after_failure();
  void attribute_file_changes();
  void keep_printed();
  bool is_pending(const std::string& variant) const;

  RunState& run_;
  const JobSpec& job_;
  const PlannedWorkload& workload_;
  const PlannedCase& planned_;
  std::string made_of_;
  std::vector<std::string> pending_;    ///< variants without a result
  std::map<std::string, int> crashes_;  ///< per variant
  /// Variants whose worker ended while gathering evidence, and how it ended.
  std::map<std::string, std::string> unexplained_;
  std::map<std::string, std::string> harm_;     ///< damage to the run's files, per variant
  std::map<std::string, std::string> printed_;  ///< text printed by the first call, per variant
  std::string sanitize_, device_;               ///< of the current requests
  std::map<std::string, ResultRecord> found_;   ///< findings so far, per variant
  /// Results of checks, for variants that are also timed or run under further checks: findings, or
  /// why they could not be checked.
  std::map<std::string, ResultRecord> sanitized_;
  bool has_more_checks_ = false;  ///< results of checks wait for those of further checks
  bool is_under_tool_ = false;    ///< workers exit by themselves after a case
  std::string variant_;           ///< current variant of the worker
  Phase phase_ = Phase::kLoad;
  std::int64_t attempt_ = 1;
  int process_ = 1;  ///< of measure.processes
  CaseRecord record_;
  std::vector<SpilledArray> spilled_;
  std::vector<ResultRecord> earlier_;
  std::size_t phases_ = 0, results_ = 0;  ///< number of messages of this request
  bool was_interrupted_ = false, has_failed_ = false;
};

}  // namespace kernelbatch
