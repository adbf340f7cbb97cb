// What Slurm says of a job's tasks, for `status`: nothing outside Slurm.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/job/slurm_jobs.hpp"

namespace kernelbatch::app {

/// Notes beside a result file, as `<file>.slurm`, which jobs work for it: the array's and the
/// merge's id, empty where there is none. Throws StoreError.
void note_submission(const std::filesystem::path& results, const std::string& job,
                     const std::string& merge);

/// Ids of the last jobs so noted, oldest first.
std::vector<std::string> noted_submissions(const std::filesystem::path& results);

/// A paragraph for each job: how many of its tasks are in which state, and those that ended badly
/// or were begun again, with why.
void print_slurm_tasks(const std::vector<SlurmTask>& tasks);

nlohmann::ordered_json to_json(const std::vector<SlurmTask>& tasks);

}  // namespace kernelbatch::app
