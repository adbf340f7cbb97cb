// The Slurm allocation of this process, from its environment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace kernelbatch {

struct SlurmAllocation {
  std::string job_id;
  std::string array_job_id;  ///< empty outside an array
  std::int64_t task_id = 0, task_min = 0, task_max = 0, task_step = 1, task_count = 1;
  /// Rank within the srun step of this process; in a batch script 0 of 1, whatever --ntasks.
  std::int64_t rank = 0, ranks = 1, local_rank = 0;
  std::int64_t local_ranks = 1;  ///< on this node
  /// GPUs or slices that any rank of the job may get, the same for all ranks; 0 if unknown.
  std::int64_t most_gpus = 0;
  std::string step_id;                 ///< only in a step of srun
  std::int64_t restart_count = 0;      ///< number of requeues
  std::optional<std::int64_t> end_ns;  ///< since 1970-01-01T00:00:00Z; newer versions of Slurm
  std::string gpus;                    ///< SLURM_STEP_GPUS, else SLURM_JOB_GPUS, as written
  std::string visible;                 ///< CUDA_VISIBLE_DEVICES, as written
  std::string scratch;                 ///< SLURM_TMPDIR: local to this node, deleted with the job

  /// "812", or "810_3" in an array: the last task's SLURM_JOB_ID is the array's own.
  std::string name() const;
  /// Name of the queue of cases that all tasks of the array and ranks of the step share: "810", or
  /// "810.0" in the first step of srun.
  std::string queue() const;
  /// True if GPUs or slices of GPUs were granted.
  bool has_gpus() const noexcept;
};

/// Value of an environment variable; std::nullopt if it is unset or empty.
using Environment = std::function<std::optional<std::string>(const char* name)>;

/// std::nullopt outside Slurm. Throws SpecError for a variable that is not a number but must be
/// one.
std::optional<SlurmAllocation> slurm_allocation(const Environment& environment);

/// Number of tasks on the node with this index, from a list of Slurm: "2(x3),1". 1 if it has none.
std::int64_t tasks_on_node(std::string_view list, std::int64_t node);

/// The i-th of k parts of a job, i from 0. Cases are assigned in snake order, from the most
/// expensive to the cheapest. Processes that share a queue begin with their own part.
struct JobShard {
  std::size_t index = 0, count = 1;
};

/// Part for the array task and rank. An array with gaps has parts without a task, which the other
/// tasks run.
JobShard shard_of(const SlurmAllocation& allocation);

/// "2/8": the second of eight. Throws SpecError.
JobShard parse_shard(std::string_view text);

/// Seconds of "5", "4:05", "3:04:05", "2-03:04:05", "2-03"; std::nullopt for UNLIMITED, INVALID and
/// so on.
std::optional<double> parse_slurm_time(std::string_view text);

/// "2-03:04:05", whole seconds, rounded up.
std::string to_slurm_time(double seconds);

/// Seconds until the allocation's time limit: from the environment, else from squeue. std::nullopt
/// if there is no limit or it is unknown.
std::optional<double> seconds_left(const SlurmAllocation& allocation);

/// Time to stop, in seconds from now: `margin` before the end, but not before half of the remaining
/// time, so that a limit shorter than the margin still does some work.
double seconds_until_stop(double left, double margin) noexcept;

}  // namespace kernelbatch
