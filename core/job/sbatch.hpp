// The scripts that `submit` hands to sbatch.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/job/spec.hpp"

namespace kernelbatch {

struct Submission {
  std::string job_name, job_file, program;  ///< program: as in its --version
  std::size_t cases = 1, tasks = 1;
  std::string throttle;              ///< most tasks at a time; empty = no limit
  std::string folder;                ///< where the job is to run: absolute
  std::string log_folder;            ///< absolute
  std::string results;               ///< absolute
  std::vector<std::string> command;  ///< kernelbatch and `run`, with the job and its options
  std::vector<std::string> merge;    ///< kernelbatch and `merge`
};

/// A word as the shell reads it back: quoted where it must be.
std::string shell_quoted(const std::string& word);

/// The array job (a plain one where there is one task): `command` with --resume and the task's
/// shard, stopped in time, requeued where it says so. Throws SpecError for a setting that would not
/// stay on its line.
std::string run_script(const Submission& submission, const SlurmSpec& slurm);

/// The job that merges what the array left, to be started when the array has ended.
std::string merge_script(const Submission& submission, const SlurmSpec& slurm);

struct ArraySize {
  std::size_t tasks = 1;
  std::string throttle;
};

/// From slurm.array ("auto", "16", "16%4", "auto%4"): how many tasks. `auto` lets a task last about
/// half of slurm.time (or ten minutes), by the estimate that a result takes `seconds_per_result`;
/// never more tasks than cases, nor than 1000. Throws SpecError.
ArraySize array_size(const SlurmSpec& slurm, std::size_t cases, std::size_t results,
                     double seconds_per_result);

}  // namespace kernelbatch
