// States of submitted jobs from Slurm: squeue for jobs that it still lists, sacct for jobs that
// have ended.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kernelbatch {

/// One job, or one task of an array.
struct SlurmTask {
  std::string id;      ///< "812", "812_7"
  std::string state;   ///< Slurm's word: RUNNING, PENDING, TIMEOUT, OUT_OF_MEMORY, NODE_FAIL, …
  std::string reason;  ///< why it waits, as "Dependency"; empty otherwise
  std::string exit_code;  ///< "4:0": exit code and signal; empty while it runs or if unknown
  std::string elapsed;    ///< "00:12:31"; empty if unknown
  std::string node;
  /// States of earlier attempts, oldest first: NODE_FAIL, PREEMPTED, REQUEUED, …
  std::vector<std::string> earlier;

  std::string job() const;       ///< the array's id: "812"
  bool is_waiting() const;       ///< pending
  bool has_ended_badly() const;  ///< neither waiting, running nor completed
};

/// Parses the output of `squeue --noheader --array --format "%i|%T|%r|%M|%N"`.
std::vector<SlurmTask> parse_squeue(std::string_view answer);

/// Parses the output of `sacct --noheader --parsable2 --allocations --duplicates --format
/// JobID,State,ExitCode,Elapsed,NodeList`: one record per attempt. Pending tasks share one record,
/// which is ignored.
std::vector<SlurmTask> parse_sacct(std::string_view answer);

/// Queries both for these jobs; empty if there is no Slurm or it does not answer. Sorted by the
/// IDs' numbers.
std::vector<SlurmTask> slurm_tasks(const std::vector<std::string>& jobs);

}  // namespace kernelbatch
