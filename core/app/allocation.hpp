// What a run inside a Slurm allocation does differently.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/device/device_list.hpp"
#include "core/job/slurm.hpp"
#include "core/job/spec.hpp"

namespace kernelbatch::app {

/// The device for a selector. `auto` is the GPU that was granted, which must be usable, or the host
/// where none was; of several, each rank of a node takes another. Throws as choose_device() does.
DeviceChoice device_in(const std::optional<SlurmAllocation>& allocation,
                       const std::string& selector);

/// Ends the run as a signal does, limits.stop_before_job_end before the allocation's end.
void stop_in_time(const SlurmAllocation& allocation, const std::vector<JobSpec>& jobs);

/// A folder of this process's own on the node's scratch space, which goes with the job; empty where
/// the site gives none or it cannot be written.
std::string scratch_of(const SlurmAllocation& allocation);

/// Slurm runs this job again: what is finished is not to be repeated.
bool is_requeued(const std::optional<SlurmAllocation>& allocation) noexcept;

}  // namespace kernelbatch::app
