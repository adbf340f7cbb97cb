// What a job will take: wall time, memory on the device, room on disk.
#pragma once

#include <string>
#include <vector>

#include "core/run/partition.hpp"
#include "core/run/plan.hpp"

namespace kernelbatch {

/// Bytes that cases of a workload need on their device: of kernels in the job what the first of
/// them moves, else what `ask` says of the plugin; 0 where unknown. `folder`: the job's.
Footprints footprints_of(const PlannedWorkload& planned, const std::string& folder,
                         const FootprintsOf& ask);

/// Seconds that a case is expected to take, from how often and how long its variants are timed and
/// from the bytes that they move. A model of what runs took, good to about a factor of two; the
/// kernel's arithmetic is not in it.
double case_seconds(const MeasureSpec& measure, const PlannedWorkload& planned, double bytes,
                    bool is_gpu);

/// case_seconds() of every case of a plan, in its order; equal ones where there are so many that
/// asking for each would take long.
std::vector<double> seconds_of_cases(const JobSpec& job, const Plan& plan, bool is_gpu,
                                     const FootprintsOf& ask);

struct Estimate {
  double gpu_s = 0, host_s = 0;  ///< of all cases, and of searches with a budget in time
  bool is_at_least = false;      ///< searches with a budget of tries come on top
  double device_bytes = 0;       ///< that the largest case needs at least; 0 = unknown
  double stored_bytes = 0;       ///< of outputs, before compression, at most
};

/// Asks for at most some hundred cases of each workload, evenly spread.
Estimate estimate(const JobSpec& job, const Plan& plan, const FootprintsOf& ask);

/// "about 7 s on a GPU, 40 s on the host device; device memory 24.0 MB or more; outputs up to
/// 8.00 MB".
std::string to_text(const Estimate& estimate);

}  // namespace kernelbatch
