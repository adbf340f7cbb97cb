// RequestedCase: a request together with its part of the job.
#pragma once

#include <string>

#include "core/case/message.hpp"
#include "core/job/spec.hpp"

namespace kernelbatch {

struct RequestedCase {
  const CaseRequest& request;
  const JobSpec& job;
  const WorkloadSpec& spec;
  MeasureSpec measure;     ///< of the job, or for a profiler
  std::string job_folder;  ///< relative input files are searched here first
};

/// Views of both. Throws RunError if the job has no such workload.
RequestedCase requested_case(const CaseRequest& request, const JobSpec& job);

}  // namespace kernelbatch
