// The files that a Slurm task leaves in its log folder, for clusters without accounting: the exit
// file, with a line "RESTART_COUNT EXIT_STATUS" for each run of the task, and the log.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/job/slurm_jobs.hpp"
#include "core/job/submissions.hpp"

namespace kernelbatch {

/// The end of a log: the last line that reports an error, and the state by a message of Slurm
/// (TIMEOUT, NODE_FAIL, PREEMPTED, CANCELLED, OUT_OF_MEMORY). Empty if there is none, or only of an
/// earlier run of the task.
struct LogEnd {
  std::string error, state;
};

LogEnd end_of_log(std::string_view log);

/// The same for a file, of which only the end is read.
LogEnd end_of_log_file(const std::filesystem::path& log);

/// A task that Slurm no longer knows. Without an exit status and a message of Slurm its state is
/// UNKNOWN.
SlurmTask ended_task(const SlurmSubmission& submission, const std::string& id);

/// IDs of a submission's tasks: "812", or "812_0" to "812_7".
std::vector<std::string> task_ids(const SlurmSubmission& submission);

}  // namespace kernelbatch
