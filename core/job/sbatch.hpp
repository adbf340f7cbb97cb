// The scripts that `submit` passes to sbatch.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/job/slurm_site.hpp"
#include "core/job/spec.hpp"

namespace kernelbatch {

struct Submission {
  std::string job_name, job_file, program;  ///< program: as in its --version
  std::size_t cases = 1, tasks = 1;
  std::string throttle;              ///< maximum tasks at a time; empty = no limit
  std::string folder;                ///< working folder of the job: absolute
  std::string log_folder;            ///< absolute
  std::string results;               ///< absolute
  std::vector<std::string> command;  ///< kernelbatch and `run`, with the job and its options
  std::vector<std::string> merge;    ///< kernelbatch and `merge`
};

/// A word quoted for the shell if necessary.
std::string shell_quoted(const std::string& word);
/// A command with its words quoted.
std::string quoted_command(const std::vector<std::string>& words);

/// The array job (a plain job if there is one task): `command` with --resume, stopped before the
/// limit, and requeued if enabled. Throws SpecError for a setting with line breaks.
std::string run_script(const Submission& submission, const SlurmSpec& slurm);

/// The job of `slurm.merge` that merges the array's results, to start when the array has ended.
std::string merge_script(const Submission& submission, const SlurmSpec& slurm);

struct ArraySize {
  std::size_t tasks = 1;
  std::string throttle;
};

/// Number of tasks, from slurm.array ("auto", "16", "16%4", "auto%4"). With `auto` a task lasts
/// about half of slurm.time (or ten minutes), estimated from `seconds_per_result`; at most the
/// number of cases, at most 1000, and at most as many as the site allows. Throws SpecError.
ArraySize array_size(const SlurmSpec& slurm, std::size_t cases, std::size_t results,
                     double seconds_per_result, const SlurmSite& site = {});

}  // namespace kernelbatch
