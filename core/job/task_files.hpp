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

/// Last line of a log that reports an error; empty if there is none.
std::string last_error_line(std::string_view log);

/// The same for a file, of which only the end is read; empty if it cannot be read.
std::string last_error_of(const std::filesystem::path& log);

/// TIMEOUT, NODE_FAIL, PREEMPTED, CANCELLED or OUT_OF_MEMORY by a message of Slurm; else empty.
std::string state_of_error(std::string_view error_line);

/// A task that Slurm no longer knows. Without an exit status and a message of Slurm its state is
/// UNKNOWN.
SlurmTask ended_task(const SlurmSubmission& submission, const std::string& id);

/// IDs of a submission's tasks: "812", or "812_0" to "812_7".
std::vector<std::string> task_ids(const SlurmSubmission& submission);

}  // namespace kernelbatch
