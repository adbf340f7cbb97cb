// Whether an output is right.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/job/spec.hpp"
#include "core/result/record.hpp"
#include "core/workload/workload.hpp"

namespace kernelbatch {

/// What is wrong with an output: one line, and the same in two or three words. Both empty: nothing.
struct Wrong {
  std::string reason, fault;
  explicit operator bool() const noexcept { return !reason.empty(); }
};

/// Compares one output with the reference and says so in a record.
Wrong verify_output(const OutputArray& spec, const Array& got, const Array& want,
                    OutputRecord& record);

/// Host arrays of a case's outputs, by name.
using OutputArrays = std::map<std::string, Array>;

/// Name of the reference's output that an output is compared with.
const std::string& name_of_want(const OutputArray& spec);

/// Compares all outputs with those of the reference, `want`; null: they are the reference's own.
/// Fills a record for each. Returns what is wrong with the first wrong one.
Wrong compare_outputs(const std::vector<OutputArray>& specs, const OutputArrays& got,
                      const OutputArrays* want, std::vector<OutputRecord>& records);

/// Whether compare_outputs() would find nothing wrong, which takes less time.
bool are_right(const std::vector<OutputArray>& specs, const OutputArrays& got,
               const OutputArrays& want);

/// No number tells how wrong the output is: elements were not written, or others than its own were.
void forget_errors(OutputRecord& record);

/// The workload's tolerances with the changes that a job asks for: `all` first, then those of
/// single outputs. Throws SpecError with the place in the job where a bound of a reduction is asked
/// for that the workload does not give the terms of.
void change_tolerances(std::vector<OutputArray>& outputs, const ToleranceSpec& all,
                       const std::vector<std::pair<std::string, ToleranceSpec>>& single);

}  // namespace kernelbatch
