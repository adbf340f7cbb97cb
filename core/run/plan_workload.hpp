// An entry of a job against the workload that it names.
#pragma once

#include <string>

#include "core/run/plan.hpp"

namespace kernelbatch {

/// With what the workload decides filled in. Throws SpecError: unknown variants, parameters,
/// outputs or inputs, names that cannot be those of files.
PlannedWorkload plan_workload(const WorkloadSpec& spec, const Describe& describe);

/// All that can be known of a case without its data. Throws SpecError with a place.
void check_case(const PlannedWorkload& planned, const NamedValues& values,
                const std::string& folder);

}  // namespace kernelbatch
