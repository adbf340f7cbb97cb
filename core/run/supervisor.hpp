// The supervisor: runs a plan's cases in worker processes and stores each when it is finished.
// Never touches a GPU itself.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/job/spec.hpp"
#include "core/result/record.hpp"
#include "core/run/finished_results.hpp"
#include "core/run/output_place.hpp"
#include "core/run/plan.hpp"
#include "core/run/run_summary.hpp"
#include "core/run/worker_process.hpp"
#include "core/workload/workload.hpp"

namespace kernelbatch {

struct SupervisorOptions {
  std::vector<std::string> worker_command;  ///< starts a worker on descriptor 3
  std::vector<std::string> arguments;       ///< of this command, for the record
  std::string device;                       ///< resolved selector: "host", "cuda:0"
  /// Of which the plan is made; with more than one nothing is merged.
  JobShard shard{};
  std::string scratch =
      {};  ///< node-local folder for what waits to be stored; empty = with the shards
  bool is_resumed = false;  ///< do only what earlier runs left
  bool is_profile = false;  ///< few bare runs, for a profiler that watches
  int interrupt = -1;       ///< a descriptor that can be read when the job is to stop; -1 = none
};

/// Is told what happens, in order.
class RunObserver {
 public:
  virtual ~RunObserver();
  /// `done` of `total` results are in already.
  virtual void on_start(std::size_t done, std::size_t total) = 0;
  /// So many results of earlier runs are made anew, since these ingredients are not as they were.
  virtual void on_changes(std::size_t results, const std::vector<std::string>& changes) = 0;
  virtual void on_variant(const PlannedCase& planned, const std::string& variant,
                          const std::string& phase) = 0;
  /// The device has been calibrated.
  virtual void on_calibration(const DeviceCalibration& calibration);
  /// A result is on disk; `done` of `total` are.
  virtual void on_result(const ResultRecord& record, std::size_t done, std::size_t total) = 0;
};

class Supervisor {
 public:
  explicit Supervisor(SupervisorOptions options);
  ~Supervisor();

  /// What a plugin declares, asked of a worker: a plugin that crashes while it is loaded takes
  /// nothing else along. Throws SpecError.
  WorkloadInfo describe(const std::string& plugin);

  /// Bytes that cases of a plugin need on their device, 0 where it does not say. Throws SpecError.
  std::vector<double> footprints(const std::string& plugin, const std::vector<NamedValues>& cases);

  /// Runs all cases of a plan, then merges. Throws StoreError when results cannot be written: what
  /// was finished before stays on disk.
  RunSummary run(const JobSpec& job, const Plan& plan, RunObserver& observer);

 private:
  struct CaseState;
  WorkerProcess& worker();
  WorkerMessage ask(const std::string& frame, const std::string& event, const std::string& plugin);
  bool can_open_device();
  void run_case(const JobSpec& job, const Plan& plan, const PlannedCase& planned, CaseState& state,
                RunObserver& observer);
  bool run_once(const PlannedCase& planned, const CaseRequest& request, double timeout_s,
                CaseState& state, RunObserver& observer);
  enum class Next { kGoOn, kAgain, kDone };
  Next take(WorkerMessage& message, const PlannedCase& planned, const CaseRequest& request,
            CaseState& state, RunObserver& observer);
  void take_result(WorkerMessage& message, const PlannedCase& planned, CaseState& state);
  void blame_for_files(CaseState& state);
  struct Failure {
    Status status;
    std::string reason, detail;
    bool is_retryable;
  };
  void fail_pending(const PlannedCase& planned, CaseState& state, const Failure& failure);
  bool lose_worker(const PlannedCase& planned, CaseState& state);
  void stop_after_failure(const PlannedCase& planned, CaseState& state);
  std::filesystem::path own_folder(const JobSpec& job) const;
  ResultRecord failure_of(const PlannedCase& planned, const PlannedWorkload& workload,
                          const std::string& variant) const;
  void add_result(CaseState& state, ResultRecord record);
  void store(const JobSpec& job, CaseState& state);
  MeasureSpec effective_measure(const JobSpec& job) const;
  void tell_changes(const std::vector<const PlannedCase*>& cases, RunObserver& observer) const;

  SupervisorOptions options_;
  std::unique_ptr<WorkerProcess> worker_;
  EnvironmentRecord environment_;
  FinishedResults finished_;                    ///< by earlier runs
  std::int64_t run_ = -1;                       ///< ResultRecord::run of all that this run makes
  std::vector<DeviceCalibration> calibration_;  ///< of this job's device, once it is known
  bool was_calibrated_ = false;                 ///< or cannot be
  std::size_t done_ = 0, total_ = 0;
  OutputPlace* place_ = nullptr;       ///< while run() runs
  std::string resolved_;               ///< the job in full
  std::vector<std::string> problems_;  ///< results that could not be written
};

/// Result file of a job: output.file with {name} filled in, relative to the current folder.
std::filesystem::path output_file(const JobSpec& job);

/// Sets speed-ups over the baseline variant, with the interval that follows from both medians'.
/// Where `results` lack it, it is looked for in `earlier`.
void add_speedups(std::vector<ResultRecord>& results, const std::string& baseline,
                  const std::vector<ResultRecord>& earlier = {});

}  // namespace kernelbatch
