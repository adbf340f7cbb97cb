#pragma once
// A job of `kernelbatch run`, checked before the first one runs.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/app/job_options.hpp"
#include "core/app/kernel_options.hpp"
#include "core/app/run_part.hpp"
#include "core/app/slurm/allocation.hpp"
#include "core/device/device_list.hpp"
#include "core/run/commit.hpp"
#include "core/run/plan.hpp"

namespace kernelbatch::app {

struct RunOptions {
  JobOptions job;
  KernelOptions kernel;
  bool is_quiet = false, is_resumed = false, is_overwriting = false, is_profile = false;
  bool requires_search = false;  ///< for `tune`
  std::string shard, queue, jobs = "1", sanitize, case_text;
};

/// A checked job of which nothing has run yet.
struct CheckedJob {
  JobSpec job;
  Plan plan;
  DeviceChoice device;
  Commit commit;
  std::filesystem::path last;  ///< link to the run's file (`output.history`); empty: none
};

/// State shared by all jobs of one command.
struct RunPlace {
  int interrupt = -1;
  std::optional<SlurmAllocation> allocation = {};
  RunPart part = {};
  bool is_resumed = false;
};

/// Throws `SpecError` if no case matches `--case`, `DeviceError` if the job's device is missing.
CheckedJob check_job(const JobSpec& job, const RunOptions& options, const RunPlace& place);

/// Runs and prints all jobs; the exit code of the first one that failed.
int run_checked_jobs(const std::vector<CheckedJob>& jobs, const RunOptions& options,
                     const RunPlace& place);

}  // namespace kernelbatch::app
