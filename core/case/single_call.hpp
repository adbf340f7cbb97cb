// One call of each variant in this process, for a debugger.
#pragma once

#include <vector>

#include "core/case/message.hpp"
#include "core/job/spec.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

/// Runs the reference, then calls the request's variants once on its device and verifies them.
/// Nothing is timed, no outputs are stored, and a variant that crashes ends this process. Throws as
/// CaseRun::run() does.
std::vector<ResultRecord> call_once(CaseRequest request, const JobSpec& job);

}  // namespace kernelbatch
