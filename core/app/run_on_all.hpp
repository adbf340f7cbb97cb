// `run --jobs`: a process for each device, and one file of all their results.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/app/spread.hpp"
#include "core/job/slurm.hpp"
#include "core/job/spec.hpp"

namespace kernelbatch::app {

/// The devices of the processes that `--jobs PROCESSES` requests. Throws SpecError if the jobs need
/// different devices or the allocation has none for them.
std::vector<std::string> devices_of(const std::string& processes, const std::vector<JobSpec>& jobs,
                                    const std::optional<SlurmAllocation>& allocation);

/// Runs a process for each device, then merges their results into one file and one table. Returns
/// the exit code.
int run_on_all(std::vector<JobSpec> jobs, const SpreadRun& run, bool is_resumed, bool is_quiet);

}  // namespace kernelbatch::app
