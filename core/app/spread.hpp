// One run as several: a process for each device, each with its part of the cases.
#pragma once

#include <string>
#include <vector>

#include "core/app/job_options.hpp"
#include "core/job/slurm.hpp"

namespace kernelbatch::app {

/// The devices of `--jobs`: `jobs` is "auto" for all that are granted (one where none is), or their
/// number. `selector` is the job's device; each process gets a device of its own, or all of them
/// the host. Throws SpecError for another text, for more processes than GPUs, and for several where
/// one device was chosen.
std::vector<std::string> devices_for(const std::string& jobs, const std::string& selector,
                                     const std::vector<std::string>& granted);

struct SpreadRun {
  JobOptions job;
  std::vector<std::string> flags;    ///< of `run`, for every process: --resume and the like
  std::vector<std::string> devices;  ///< one for each process
  JobShard shard;                    ///< what is spread
  int interrupt = -1;  ///< a descriptor that can be read when all are to stop; -1 = none
};

/// Starts them, repeats what they report with their number before it, and waits. When `interrupt`
/// can be read they are asked to stop. Returns 75 where one was stopped, else the first exit code
/// that is not 0. Throws RunError where one cannot be started.
int run_spread(const SpreadRun& run);

}  // namespace kernelbatch::app
