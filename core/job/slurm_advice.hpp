// The next step after a task of Slurm has failed or cannot start.
#pragma once

#include <string>

#include "core/job/slurm_jobs.hpp"

namespace kernelbatch {

/// The reason with what to do, as "DependencyNeverSatisfied: …"; empty for a task that needs
/// nothing.
std::string advice_for(const SlurmTask& task);

}  // namespace kernelbatch
