// Matches an entry of a job with its workload.
#pragma once

#include <string>

#include "core/run/plan.hpp"

namespace kernelbatch {

/// Fills in the workload's defaults, and extents and dtypes that the job omits from its files.
/// Relative files are searched in `folder`, the job's, first. Throws SpecError: unknown variants,
/// parameters, outputs or inputs, names that cannot be file names.
PlannedWorkload plan_workload(const WorkloadSpec& spec, const Describe& describe,
                              const std::string& folder);

/// Checks everything about a case that does not need its data. Throws SpecError with a place.
void check_case(const PlannedWorkload& planned, const NamedValues& values,
                const std::string& folder);

}  // namespace kernelbatch
