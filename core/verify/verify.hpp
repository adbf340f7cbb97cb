// Whether an output is right.
#pragma once

#include <string>
#include <vector>

#include "core/job/spec.hpp"
#include "core/result/record.hpp"
#include "core/workload/workload.hpp"

namespace kernelbatch {

/// Compares one output with the reference and says so in a record. Returns whether it is right;
/// else `reason` is one line.
bool verify_output(const OutputArray& spec, const Array& got, const Array& want,
                   OutputRecord& record, std::string& reason);

/// No number tells how wrong the output is: elements were not written, or others than its own were.
void forget_errors(OutputRecord& record);

/// The workload's tolerances with the changes that a job asks for: `all` first, then those of
/// single outputs. Throws SpecError with the place in the job where a bound of a reduction is asked
/// for that the workload does not give the terms of.
void change_tolerances(std::vector<OutputArray>& outputs, const ToleranceSpec& all,
                       const std::vector<std::pair<std::string, ToleranceSpec>>& single);

}  // namespace kernelbatch
