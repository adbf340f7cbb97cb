// An entry of a job against the workload that it names.
#pragma once

#include <string>

#include "core/run/plan.hpp"

namespace kernelbatch {

/// With what the workload decides filled in, and what the files that the job gives say: extents and
/// dtypes that the job leaves out. Relative files are looked up in `folder`, the job's, first.
/// Throws SpecError: unknown variants, parameters, outputs or inputs, names that cannot be those of
/// files.
PlannedWorkload plan_workload(const WorkloadSpec& spec, const Describe& describe,
                              const std::string& folder);

/// All that can be known of a case without its data. Throws SpecError with a place.
void check_case(const PlannedWorkload& planned, const NamedValues& values,
                const std::string& folder);

}  // namespace kernelbatch
