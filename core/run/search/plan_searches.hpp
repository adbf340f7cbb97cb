// Plans the searches of a job.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "core/run/plan.hpp"
#include "core/run/swept_workload.hpp"

namespace kernelbatch {

/// Adds a search for each variant of each combination of the parameters that are not searched.
/// `index`: of the entry of `workloads:`. Throws SpecError.
void add_searches(Plan& plan, std::size_t index, const std::shared_ptr<const SweptWorkload>& swept,
                  std::size_t allowed_cases, const std::string& folder);

}  // namespace kernelbatch
