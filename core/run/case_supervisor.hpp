// CaseSupervisor: one case, run in worker processes until each of its variants has a result.
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

/// What the cases of a run share.
struct RunState {
  WorkerClient& workers;
  OutputPlace& place;
  RunObserver& observer;
  std::string device;             ///< resolved selector: "host", "cuda:0"
  std::string spill_folder = {};  ///< where workers write outputs; empty: none are stored
  bool is_profile = false;        ///< few bare runs, for a profiler that watches
  std::string sanitize = {};      ///< checks to run instead of timing; empty: none
  CheckPlace sanitize_on = CheckPlace::kHost;
  std::int64_t number = -1;  ///< ResultRecord::run of all that this run makes
  EnvironmentRecord environment = {};
  std::vector<DeviceCalibration> calibration = {};  ///< of this job's device, once it is known
  bool was_calibrated = false;                      ///< or cannot be
  double evidence_s = 0;                            ///< of one variant, lately; 0 = unknown
  std::vector<std::string> problems = {};           ///< results that could not be written
};

/// An array that waits to be stored.
struct SpilledArray {
  std::string variant, output;
  std::int64_t stride = 1;
  MappedFile file;
};

class CaseSupervisor {
 public:
  /// `made_of` is stored with every result (ResultRecord::made_of). All but it must outlive this.
  CaseSupervisor(RunState& run, const JobSpec& job, const PlannedWorkload& workload,
                 const PlannedCase& planned, std::string made_of);

  /// Runs what has no final result among `known`. Throws DeviceError if there is no device,
  /// RunError if no worker can be started.
  void run(std::vector<FinishedResult> known);

  /// The run is to stop: the case has no result.
  bool was_interrupted() const noexcept { return was_interrupted_; }
  /// A result was wrong.
  bool has_failed() const noexcept { return has_failed_; }
  /// Results of this run, and final ones of earlier runs.
  CaseRecord& record() noexcept { return record_; }
  std::vector<ResultRecord>& earlier() noexcept { return earlier_; }
  const std::vector<SpilledArray>& spilled() const noexcept { return spilled_; }

 private:
  enum class Next { kGoOn, kAgain, kDone };
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
  // More processes that time what is right: more_processes.cpp.
  void time_again();
  void add_times(ResultRecord record);
  void end_worker() noexcept;

  // Runs under checks: case_checks.cpp.
  void sanitize_first();
  void sanitize_instead();
  void run_tools(const std::string& variant);
  void hold(ResultRecord record);
  bool is_held(const ResultRecord& record) const;

  // One for each reply. They throw if it makes no sense.
  Next take(PhaseChange& change, const CaseRequest& request);
  Next take(TimeLeft& left, const CaseRequest& request);
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
  void blame_for_files();
  void keep_printed();
  bool is_pending(const std::string& variant) const;

  RunState& run_;
  const JobSpec& job_;
  const PlannedWorkload& workload_;
  const PlannedCase& planned_;
  std::string made_of_;
  std::vector<std::string> pending_;    ///< variants without a result
  std::map<std::string, int> crashes_;  ///< per variant
  /// Variants whose worker ended while their times were explained, and how.
  std::map<std::string, std::string> unexplained_;
  std::map<std::string, std::string> harm_;     ///< what a variant did to files of the run
  std::map<std::string, std::string> printed_;  ///< by its first call, per variant
  std::string sanitize_, device_;               ///< of the requests that are made now
  std::map<std::string, ResultRecord> found_;   ///< what checks have told of so far, per variant
  /// Of variants that have more to do after their checks: what these found, and where they could
  /// not be.
  std::map<std::string, ResultRecord> sanitized_;
  bool has_more_checks_ = false;  ///< results of checks wait for those of others
  bool is_under_tool_ = false;    ///< workers end by themselves after a case
  std::string variant_;           ///< what the worker is doing
  Phase phase_ = Phase::kLoad;
  std::int64_t attempt_ = 1;
  int process_ = 1;  ///< of measure.processes
  CaseRecord record_;
  std::vector<SpilledArray> spilled_;
  std::vector<ResultRecord> earlier_;
  std::size_t phases_ = 0, results_ = 0;  ///< messages of this request
  bool was_interrupted_ = false, has_failed_ = false;
};

}  // namespace kernelbatch
