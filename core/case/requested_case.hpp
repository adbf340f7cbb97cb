// RequestedCase: a request together with the part of the job that it is about.
#pragma once

#include <string>

#include "core/case/message.hpp"
#include "core/job/spec.hpp"

namespace kernelbatch {

struct RequestedCase {
  const CaseRequest& request;
  const JobSpec& job;
  const WorkloadSpec& spec;
  MeasureSpec measure;     ///< of the job, or what a profiler wants
  std::string job_folder;  ///< relative input files are looked up here first
};

/// Views of both. Throws RunError if the job has no such workload.
RequestedCase requested_case(const CaseRequest& request, const JobSpec& job);

}  // namespace kernelbatch
