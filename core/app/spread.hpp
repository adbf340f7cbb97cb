// Splits one run into a process for each device, each with its part of the cases.
#pragma once

#include <string>
#include <vector>

#include "core/app/job_options.hpp"
#include "core/job/slurm.hpp"

namespace kernelbatch::app {

/// The devices of `--jobs`: `jobs` is "auto" for all granted ones (one if there are none), or their
/// number. `selector` is the job's device; each process gets its own device, or all of them the
/// host. Throws SpecError for another text, for more processes than GPUs, and for several processes
/// on one chosen device.
std::vector<std::string> devices_for(const std::string& jobs, const std::string& selector,
                                     const std::vector<std::string>& granted);

struct SpreadRun {
  JobOptions job;
  std::vector<std::string> flags;    ///< of `run`, for every process, such as --resume
  std::vector<std::string> devices;  ///< one for each process
  JobShard shard;                    ///< the part to split
  JobShard parts;                    ///< that of the first process; the others' follow
  std::string queue;                 ///< from which the processes claim cases; empty: fixed parts
  int interrupt = -1;  ///< a descriptor that becomes readable when all must stop; -1 = none
};

/// Starts the processes, prints their messages prefixed by their number, and waits. When
/// `interrupt` is readable, they are asked to stop. Returns 75 if one was stopped, else the first
/// nonzero exit code. Throws RunError if one cannot be started.
int run_spread(const SpreadRun& run);

}  // namespace kernelbatch::app
