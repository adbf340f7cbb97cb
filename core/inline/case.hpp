// Cases of `workload: inline`: from the job's text to kernels that can run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/inline/problem.hpp"
#include "core/job/spec.hpp"
#include "core/verify/input_source.hpp"
#include "core/workload/workload.hpp"

namespace kernelbatch {

/// Declaration like a plugin's: every axis of `params` is a parameter of its values' type; the
/// version is a hash of only the outputs, so that an edited kernel still belongs to the same case.
/// A `reference` in C++ is a variant of that name. Throws SpecError with a place.
WorkloadInfo inline_info(const WorkloadSpec& spec);

/// Creates inputs, kernels and reference of one case. Throws SpecError with a place for every error
/// that can be detected without running. If `random` is null, inputs are only forms (make_inputs).
std::unique_ptr<InlineProblem> make_inline_problem(const InlineSpec& spec,
                                                   const std::vector<InputSpec>& inputs,
                                                   const NamedValues& params,
                                                   const std::string& job_folder,
                                                   RandomSource* random);

}  // namespace kernelbatch
