#include "core/case/requested_case.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/job/parse_settings.hpp"

namespace kernelbatch {

RequestedCase requested_case(const CaseRequest& request, const JobSpec& job) {
  if (request.workload >= job.workloads.size())
    throw RunError(fmt::format("a case of workload {} was requested of a job that has {}",
                               request.workload, job.workloads.size()));
  MeasureSpec measure = request.is_profile ? for_profiler(job.measure) : job.measure;
  measure.timeout_s /= measure.processes;
  if (request.is_repeat) {
    measure.hot = false;
    measure.energy = EnergyChoice::kOff;
    measure.counters = measure.twins = EvidenceChoice::kOff;
  }
  return {request, job, job.workloads[request.workload], measure, job.path.parent_path().string()};
}

}  // namespace kernelbatch
