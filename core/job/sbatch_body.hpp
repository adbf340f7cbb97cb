// The commands of the scripts that `submit` passes to sbatch, after their directives.
#pragma once

#include <string>

#include "core/job/sbatch.hpp"

namespace kernelbatch {

/// Commands of a task: runs `submission.command`, on several nodes or ranks with srun, and stops it
/// in time. `is_requeued`: requeues the task if its time limit stopped it, unless two restarts gave
/// no new result. Appends `RESTART_COUNT EXIT_STATUS` to `<log folder>/<task>.exit`. `is_merged`:
/// the last task of the array that ends also merges, and appends the status of a merge that failed.
std::string run_body(const Submission& submission, bool is_requeued, bool is_merged);

/// Merges the results; lists missing cases, with exit status 75.
std::string merge_commands(const Submission& submission);

}  // namespace kernelbatch
