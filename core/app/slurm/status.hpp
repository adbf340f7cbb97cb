// States of a job's tasks in Slurm, for `status`; nothing outside Slurm.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/job/slurm_jobs.hpp"

namespace kernelbatch::app {

/// A paragraph for each job: its user, the number of tasks in each state, failed or restarted tasks
/// with the last error of the log, and what to do.
std::string slurm_text(const std::vector<SlurmTask>& tasks);

nlohmann::ordered_json to_json(const std::vector<SlurmTask>& tasks);

}  // namespace kernelbatch::app
