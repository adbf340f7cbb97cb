// A case that takes longer than the time limit of its Slurm task.
#pragma once

#include "core/job/spec.hpp"
#include "core/run/duration/estimate.hpp"
#include "core/run/plan.hpp"

namespace kernelbatch::app {

/// Warns if the case with the highest estimate would not end before a task of `slurm.time` stops.
void warn_of_long_case(const JobSpec& job, const Plan& plan, const FootprintsOf& ask);

}  // namespace kernelbatch::app
