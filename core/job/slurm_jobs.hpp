// What Slurm says of submitted jobs: squeue for those it still knows, sacct for those that have
// ended.
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
  std::string exit_code;  ///< "4:0": exit code and signal; empty while it runs or where unknown
  std::string elapsed;    ///< "00:12:31"; empty where unknown
  std::string node;
  /// How earlier attempts ended, oldest first: NODE_FAIL, PREEMPTED, REQUEUED, …
  std::vector<std::string> earlier;

  std::string job() const;       ///< the array's id: "812"
  bool is_waiting() const;       ///< for its turn
  bool has_ended_badly() const;  ///< neither waiting, running nor completed
};

/// The answer to `squeue --noheader --array --format "%i|%T|%r|%M|%N"`.
std::vector<SlurmTask> parse_squeue(std::string_view answer);

/// The answer to `sacct --noheader --parsable2 --allocations --duplicates
/// --format JobID,State,ExitCode,Elapsed,NodeList`: one record for every attempt. Tasks that wait
/// stand together in one record, which is left out.
std::vector<SlurmTask> parse_sacct(std::string_view answer);

/// Asks both of these jobs; empty where there is no Slurm or it does not answer. In the order of
/// the ids' numbers.
std::vector<SlurmTask> slurm_tasks(const std::vector<std::string>& jobs);

}  // namespace kernelbatch
