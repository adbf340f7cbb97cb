// The commands of the scripts that `submit` passes to sbatch, after their directives.
#pragma once

#include <string>

#include "core/job/sbatch.hpp"

namespace kernelbatch {

/// Commands of a task: runs `submission.command`, stops it in time, and requeues the task if it was
/// stopped by its time limit, unless two restarts gave no new result.
std::string run_body(const Submission& submission, bool is_requeued);

}  // namespace kernelbatch
