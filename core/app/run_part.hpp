// The part of a job for one process, and the queue of cases that it shares.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/job/slurm.hpp"
#include "core/job/spec.hpp"
#include "core/run/plan.hpp"

namespace kernelbatch::app {

struct RunPart {
  JobShard shard = {};
  std::string queue = {};  ///< empty: the part is fixed
};

/// By `--shard`, else by Slurm: tasks of an array and ranks of srun share a queue. `--shard`
/// without
/// `--queue` selects a fixed part. Throws SpecError.
RunPart part_of_run(const std::string& shard, const std::string& queue,
                    const std::optional<SlurmAllocation>& allocation);

/// The part of the first of `processes` processes that share a part. All tasks and ranks divide
/// their parts into the same number, even if they get fewer devices.
JobShard first_part(const RunPart& part, std::size_t processes,
                    const std::optional<SlurmAllocation>& allocation);

/// The queue of the processes of `--jobs`: that of the part, or a new one. `is_by_hand`: the part
/// was given by `--shard`.
std::string queue_of_processes(const RunPart& part, bool is_by_hand);

/// The plan of one part; its cases are assigned by cost. Throws SpecError.
Plan plan_part(const JobSpec& job, std::size_t allowed_cases, const JobShard& shard, int interrupt);

/// True if the case's ID begins with `text` or it has this parameter ("n=255").
bool matches(const PlannedCase& planned, const std::string& text);
/// Drops the cases and searches that `--case text` does not select. Empty text: keeps all.
void keep_cases(Plan& plan, const std::string& text);

}  // namespace kernelbatch::app
