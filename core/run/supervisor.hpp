// The supervisor: runs a plan's cases in worker processes and stores each finished case. It never
// opens a GPU itself.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/job/spec.hpp"
#include "core/result/record.hpp"
#include "core/run/commit.hpp"
#include "core/run/finished_results.hpp"
#include "core/run/made_of.hpp"
#include "core/run/plan.hpp"
#include "core/run/run_observer.hpp"
#include "core/run/run_summary.hpp"
#include "core/run/worker_client.hpp"
#include "core/workload/workload.hpp"

namespace kernelbatch {

class Claims;
class CompileAhead;
class SharedTries;
struct CaseOutcome;
struct RunState;
class TuningSearch;

struct SupervisorOptions {
  WorkerCommand worker_command;        ///< starts a worker on descriptor 3
  std::vector<std::string> arguments;  ///< of this command, for the record
  std::string device;                  ///< resolved selector: "host", "cuda:0"
  /// The part of the job that the plan covers; if there are several, nothing is merged.
  JobShard shard{};
  /// Name of the queue from which all parts with this name claim cases; empty: fixed parts.
  std::string queue = {};
  /// The cases of a part, for a queue.
  std::function<std::vector<PlannedCase>(const JobShard&)> plan_part = {};
  std::string scratch =
      {};                   ///< node-local folder for outputs to be stored; empty = with the shards
  bool is_resumed = false;  ///< run only what earlier runs did not finish
  bool may_replace = false;  ///< replace results of earlier runs if not resumed
  bool is_profile = false;   ///< a few plain runs, for an external profiler
  /// Runs every variant once under these access checks instead of timing it. `device` is the GPU if
  /// one takes part.
  Checks sanitize = {};
  Commit commit = {};  ///< of the job's files, for the record
  int interrupt = -1;  ///< a descriptor that becomes readable when the job must stop; -1 = none
};

class Supervisor {
 public:
  explicit Supervisor(SupervisorOptions options);
  ~Supervisor();

  /// A plugin's declarations, queried in a worker, so that a plugin that crashes while loading does
  /// no harm. Throws SpecError.
  WorkloadInfo describe(const std::string& plugin);

  /// Device bytes needed by cases of a plugin, 0 if unknown. Throws SpecError.
  std::vector<double> footprints(const std::string& plugin, const std::vector<NamedValues>& cases);

  /// Runs all cases of a plan, then merges. Throws StoreError if results cannot be written;
  /// finished cases stay on disk.
  RunSummary run(const JobSpec& job, const Plan& plan, RunObserver& observer);

 private:
  struct Running;
  enum class Continue { kYes, kNo };
  void read_finished(const JobSpec& job, const Plan& plan,
                     const std::vector<const PlannedCase*>& cases, RunObserver& observer,
                     std::int64_t& number, const Claims* claims);
  void complete(const JobSpec& job, const PlannedWorkload& workload, const RunState& run,
                CaseRecord& record, const std::vector<ResultRecord>& earlier) const;
  void store(const Running& running, const PlannedCase& planned, const CaseOutcome& one) const;
  std::unique_ptr<CompileAhead> compilers_for(const JobSpec& job) const;
  void compile_ahead(Running& running, const PlannedCase& planned, std::size_t order);
  Continue run_case(Running& running, const PlannedCase& planned,
                    std::vector<FinishedResult> known);
  Continue run_cases(Running& running, const std::vector<const PlannedCase*>& cases,
                     FinishedResults& known);
  // Queues: queue/run_queue.cpp.
  std::unique_ptr<Claims> claims_of(const Running& running) const;
  Continue run_queue(Running& running);
  // Searches: search_cases.cpp.
  Continue run_searches(Running& running);
  Continue run_search(Running& running, const PlannedSearch& planned, const SharedTries* shared);
  void compile_ahead(Running& running, const TuningSearch& search, const Configuration& now);
  Continue try_one(Running& running, TuningSearch& search, const Configuration& configuration,
                   const SharedTries* shared);
  std::filesystem::path folder_of(const JobSpec& job, std::size_t part) const;
  MeasureSpec effective_measure(const JobSpec& job) const;
  void report_changes(const std::vector<const PlannedCase*>& cases, RunObserver& observer) const;

  SupervisorOptions options_;
  WorkerClient workers_;
  FinishedResults finished_;         ///< of earlier runs
  std::vector<MadeOf> ingredients_;  ///< by workload
  std::size_t done_ = 0, total_ = 0;
  std::string resolved_;  ///< the resolved job
};

/// Result file of a job: output.file with {name} filled in, relative to the current folder.
std::filesystem::path output_file(const JobSpec& job);

}  // namespace kernelbatch
