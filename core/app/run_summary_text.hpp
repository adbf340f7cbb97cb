// Text that `run` prints at the end of a job.
#pragma once

#include "core/job/slurm.hpp"
#include "core/job/spec.hpp"
#include "core/run/run_summary.hpp"

namespace kernelbatch::app {

/// Prints the results, remarks and the place of the file to standard output; if there are too many
/// rows, only failures and the command that prints the others. `again` is for failure_text().
void print_summary(const RunSummary& summary, const JobSpec& job, bool is_gpu,
                   const JobShard& shard, const std::string& again);

}  // namespace kernelbatch::app
