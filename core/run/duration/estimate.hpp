// Estimate of a job: wall time, device memory, disk space.
#pragma once

#include <string>
#include <vector>

#include "core/run/partition.hpp"
#include "core/run/plan.hpp"

namespace kernelbatch {

/// Device bytes needed by cases of a workload: for kernels in the job, the bytes moved by the first
/// one, else the plugin's answer through `ask`; 0 if unknown. `folder`: the job's.
Footprints footprints_of(const PlannedWorkload& planned, const std::string& folder,
                         const FootprintsOf& ask);

/// Expected seconds of a case, from the number and length of its timings and the bytes that they
/// move. Fitted to measured runs, accurate to about a factor of two; the kernel's arithmetic is not
/// included.
double case_seconds(const MeasureSpec& measure, const PlannedWorkload& planned, double bytes,
                    bool is_gpu);

/// case_seconds() of every case of a plan, in its order; equal values if there are too many cases
/// to ask for each.
std::vector<double> seconds_of_cases(const JobSpec& job, const Plan& plan, bool is_gpu,
                                     const FootprintsOf& ask);

struct Estimate {
  double gpu_s = 0, host_s = 0;  ///< of all cases, and of searches with a budget in time
  bool is_at_least = false;      ///< excludes searches with a budget of tries
  double device_bytes = 0;       ///< minimum for the largest case; 0 = unknown
  double stored_bytes = 0;       ///< maximum size of outputs before compression
};

/// Estimates from at most a few hundred evenly sampled cases of each workload.
Estimate estimate(const JobSpec& job, const Plan& plan, const FootprintsOf& ask);

/// "about 7 s on a GPU, 40 s on the host device; device memory 24.0 MB or more; outputs up to
/// 8.00 MB".
std::string to_text(const Estimate& estimate);

}  // namespace kernelbatch
