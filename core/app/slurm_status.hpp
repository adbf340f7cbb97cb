// States of a job's tasks in Slurm, for `status`; nothing outside Slurm.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/job/slurm_jobs.hpp"

namespace kernelbatch::app {

/// Adds the ID of a Slurm job to those that `<file>.slurm` records. Throws StoreError.
void note_submission(const std::filesystem::path& results, const std::string& job);

/// IDs of the last recorded jobs, oldest first.
std::vector<std::string> noted_submissions(const std::filesystem::path& results);

/// Prints a paragraph for each job: the number of tasks in each state, and failed or restarted
/// tasks with the reason.
void print_slurm_tasks(const std::vector<SlurmTask>& tasks);

nlohmann::ordered_json to_json(const std::vector<SlurmTask>& tasks);

}  // namespace kernelbatch::app
