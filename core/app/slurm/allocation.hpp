// Behaviour of a run inside a Slurm allocation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/device/device_list.hpp"
#include "core/job/slurm.hpp"
#include "core/job/spec.hpp"

namespace kernelbatch::app {

/// The device for a selector. `auto` is the granted GPU, which must be usable, or the host if none
/// was granted; with several GPUs, each rank of a node takes another. Throws like choose_device().
DeviceChoice device_in(const std::optional<SlurmAllocation>& allocation,
                       const std::string& selector);

/// Interrupts the run limits.stop_before_job_end before the allocation's end.
void stop_in_time(const SlurmAllocation& allocation, const std::vector<JobSpec>& jobs);

/// A private folder on the node's scratch space, deleted with the job; empty if the site provides
/// none or it is not writable.
std::string scratch_of(const SlurmAllocation& allocation);

/// True if Slurm restarted this job: finished work is not repeated.
bool is_requeued(const std::optional<SlurmAllocation>& allocation) noexcept;

}  // namespace kernelbatch::app
