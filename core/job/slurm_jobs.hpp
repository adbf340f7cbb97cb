// States of submitted jobs: from squeue and scontrol while Slurm keeps them, then from sacct if the
// site has accounting, else from the files that tasks leave.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/job/submissions.hpp"

namespace kernelbatch {

/// One job, or one task of an array.
struct SlurmTask {
  std::string id;  ///< "812", "812_7"
  /// Slurm's word: RUNNING, PENDING, TIMEOUT, OUT_OF_MEMORY, NODE_FAIL, …; UNKNOWN if it has ended
  /// and nothing shows how.
  std::string state;
  std::string reason = {};     ///< why it waits, as "Dependency"; empty otherwise
  std::string exit_code = {};  ///< "4:0": exit code and signal; empty while it runs or if unknown
  std::string elapsed = {};    ///< "00:12:31"; empty if unknown
  std::string node = {};
  std::string user = {};
  std::size_t restarts = 0;        ///< at least the number of `earlier`
  std::filesystem::path log = {};  ///< empty if unknown
  std::string error = {};          ///< last error line of the log, if it has ended badly
  /// States of earlier attempts, oldest first: NODE_FAIL, PREEMPTED, REQUEUED, …; only from
  /// accounting.
  std::vector<std::string> earlier = {};

  std::string job() const;       ///< the array's id: "812"
  bool is_waiting() const;       ///< pending
  bool is_active() const;        ///< waiting or running
  bool has_ended_badly() const;  ///< neither waiting, running nor completed
};

/// Parses the output of `squeue --noheader --array --format "%i|%T|%r|%M|%N|%u"`.
std::vector<SlurmTask> parse_squeue(std::string_view answer);

/// Parses the output of `scontrol --oneliner show job`. Pending tasks share one record, which is
/// ignored.
std::vector<SlurmTask> parse_scontrol(std::string_view answer);

/// Parses the output of `sacct --noheader --parsable2 --allocations --duplicates --format
/// JobID,State,ExitCode,Elapsed,NodeList`: one record per attempt. Pending tasks share one record,
/// which is ignored.
std::vector<SlurmTask> parse_sacct(std::string_view answer);

/// Joins what the programs answered, sorted by the IDs' numbers.
std::vector<SlurmTask> join_answers(std::vector<SlurmTask> sacct, std::vector<SlurmTask> squeue,
                                    const std::vector<SlurmTask>& scontrol);

/// Adds the tasks of a submission that Slurm does not list. If the whole array ended before its
/// first task, Slurm lists it as one job; other tasks are read from their files. No tasks are added
/// if their number is unknown.
void add_unlisted_tasks(std::vector<SlurmTask>& tasks, const SlurmSubmission& submission);

/// Queries all for these jobs; tasks that Slurm has forgotten are read from their files. Empty if
/// there is no Slurm or it does not answer. Sorted by the IDs' numbers.
std::vector<SlurmTask> slurm_tasks(const std::vector<SlurmSubmission>& submissions);

}  // namespace kernelbatch
