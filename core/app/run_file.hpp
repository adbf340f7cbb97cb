// The file of a run, and protection of existing results.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/job/spec.hpp"
#include "core/run/commit.hpp"
#include "core/run/plan.hpp"

namespace kernelbatch::app {

/// If runs are kept (`output.history`), gives this run its own file; a resumed run uses that of the
/// last run, unless it is a batch job, whose runs are named by its number. Returns the name of the
/// link to it; empty if runs are not kept.
std::filesystem::path keep_run(JobSpec& job, const Commit& commit, bool is_resumed);

/// The same for processes started later that run parts of the same jobs.
std::vector<std::filesystem::path> keep_runs(std::vector<JobSpec>& jobs, bool is_resumed);

/// Makes a file that was merged later its job's last run, as if it had been written at once, if the
/// job keeps its runs and the last one is not later. Returns the link; empty if there is none.
std::filesystem::path publish_merged(const std::filesystem::path& file);

/// The run that `last` links to; empty if it is not one of `output.history`.
std::filesystem::path previous_run(const std::filesystem::path& last);

/// Changes since another run in a few lines; empty if nothing can be compared.
std::string change_text(const std::filesystem::path& before, const std::filesystem::path& now);

/// Throws SpecError if the plan would replace results of the job's file. An unreadable file is
/// ignored here: the run reports it.
void require_new_results(const JobSpec& job, const Plan& plan);

}  // namespace kernelbatch::app
