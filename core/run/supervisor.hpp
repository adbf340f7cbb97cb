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
#include "core/run/commit.hpp"
#include "core/run/finished_results.hpp"
#include "core/run/made_of.hpp"
#include "core/run/plan.hpp"
#include "core/run/run_observer.hpp"
#include "core/run/run_summary.hpp"
#include "core/run/worker_client.hpp"
#include "core/workload/workload.hpp"

namespace kernelbatch {

struct RunState;
struct SpilledArray;
class SharedTries;
class TuningSearch;

struct SupervisorOptions {
  WorkerCommand worker_command;        ///< starts a worker on descriptor 3
  std::vector<std::string> arguments;  ///< of this command, for the record
  std::string device;                  ///< resolved selector: "host", "cuda:0"
  /// Of which the plan is made; with more than one nothing is merged.
  JobShard shard{};
  std::string scratch =
      {};  ///< node-local folder for what waits to be stored; empty = with the shards
  bool is_resumed = false;   ///< do only what earlier runs left
  bool may_replace = false;  ///< results of earlier runs, where it is not resumed
  bool is_profile = false;   ///< few bare runs, for a profiler that watches
  /// Instead of timing, every variant runs once under these checks of its accesses. `device` is
  /// the GPU where one takes part.
  Checks sanitize = {};
  Commit commit = {};  ///< of the job's files, for the record
  int interrupt = -1;  ///< a descriptor that can be read when the job is to stop; -1 = none
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
  void read_finished(const JobSpec& job, const Plan& plan,
                     const std::vector<const PlannedCase*>& cases, RunObserver& observer,
                     std::int64_t& number);
  void complete(const JobSpec& job, const PlannedWorkload& workload, const RunState& run,
                CaseRecord& record, const std::vector<ResultRecord>& earlier) const;
  void store(const JobSpec& job, const CaseRecord& record,
             const std::vector<SpilledArray>& spilled) const;
  struct Running;
  enum class Goes { kOn, kEnd };
  Goes run_case(Running& running, const PlannedCase& planned, std::vector<FinishedResult> known);
  // Searches: search_cases.cpp.
  Goes run_searches(Running& running);
  Goes run_search(Running& running, const PlannedSearch& planned, const SharedTries* shared);
  Goes try_one(Running& running, TuningSearch& search, const Configuration& configuration,
               const SharedTries* shared);
  std::filesystem::path own_folder(const JobSpec& job) const;
  MeasureSpec effective_measure(const JobSpec& job) const;
  void tell_changes(const std::vector<const PlannedCase*>& cases, RunObserver& observer) const;

  SupervisorOptions options_;
  WorkerClient workers_;
  FinishedResults finished_;         ///< by earlier runs
  std::vector<MadeOf> ingredients_;  ///< of each workload's results
  std::size_t done_ = 0, total_ = 0;
  std::string resolved_;  ///< the job in full
};

/// Result file of a job: output.file with {name} filled in, relative to the current folder.
std::filesystem::path output_file(const JobSpec& job);

/// Sets speed-ups over the baseline variant, with the interval that follows from both medians'.
/// Where `results` lack it, it is looked for in `earlier`.
void add_speedups(std::vector<ResultRecord>& results, const std::string& baseline,
                  const std::vector<ResultRecord>& earlier = {});

}  // namespace kernelbatch
