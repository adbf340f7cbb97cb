// Cases of `workload: inline`: from what the job says to kernels that can run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/inline/problem.hpp"
#include "core/job/spec.hpp"
#include "core/verify/input_source.hpp"
#include "core/workload/workload.hpp"

namespace kernelbatch {

/// What a plugin would declare: every axis of `params` is a parameter of its values' type, the
/// version is a hash of the outputs alone, so that an edited kernel is still
/// the same case. A `reference` in C++ is a variant of that name. Throws
/// SpecError with a place.
WorkloadInfo inline_info(const WorkloadSpec& spec);

/// Makes inputs, kernels and reference of one case. Throws SpecError with a place for all that is
/// wrong with them and can be known without running.
std::unique_ptr<InlineProblem> make_inline_problem(const InlineSpec& spec,
                                                   const std::vector<InputSpec>& inputs,
                                                   const NamedValues& params,
                                                   const std::string& job_folder, MakeInputs how);

}  // namespace kernelbatch
