// Which file a run writes, and what it must not replace.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/job/spec.hpp"
#include "core/run/commit.hpp"
#include "core/run/plan.hpp"

namespace kernelbatch::app {

/// Where every run is kept (`output.history`), gives this one a file of its own; a resumed one that
/// of the last run, unless it is a batch job, whose runs go by its number. Returns the name that is
/// to be a link to it; empty where nothing is kept.
std::filesystem::path keep_run(JobSpec& job, const Commit& commit, bool is_resumed);

/// The same for processes that run parts of the same jobs and are started later.
std::vector<std::filesystem::path> keep_runs(std::vector<JobSpec>& jobs, bool is_resumed);

/// Makes a file that was merged later its job's last run, as if it had been written at once: where
/// the job keeps its runs, and the last one is no later. Returns the link; empty where there is
/// none.
std::filesystem::path publish_merged(const std::filesystem::path& file);

/// The run that `last` links to; empty where it is none of `output.history`.
std::filesystem::path previous_run(const std::filesystem::path& last);

/// What became faster or slower since another run, in a few lines; empty where nothing can be
/// compared.
std::string change_text(const std::filesystem::path& before, const std::filesystem::path& now);

/// Throws SpecError where the job's file has results that this plan makes again. A file that cannot
/// be read has none: the run tells.
void require_new_results(const JobSpec& job, const Plan& plan);

}  // namespace kernelbatch::app
