// Verification of outputs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/array/hidden_array.hpp"
#include "core/job/spec.hpp"
#include "core/result/record.hpp"
#include "core/workload/workload.hpp"

namespace kernelbatch {

/// The error of an output: one line, and a summary of two or three words. Both are empty if it is
/// correct.
struct Wrong {
  std::string reason, fault;
  bool is_few = false;  ///< at most a tenth of the elements, and all of them were written
  explicit operator bool() const noexcept { return !reason.empty(); }
};

/// Ends the fault of a few wrong elements that differ between calls.
inline constexpr const char* kVaries = ", varies";

/// Compares one output with the reference and stores the result in a record.
Wrong verify_output(const OutputArray& spec, const Array& got, const Array& want,
                    OutputRecord& record);

/// Host arrays of a case's outputs, by name.
using OutputArrays = std::map<std::string, Array>;

/// Outputs that kernel texts cannot find in memory, and the conversions.
using HiddenOutputs = std::map<std::string, HiddenArray>;
HiddenOutputs hidden(const OutputArrays& outputs);
OutputArrays shown(const HiddenOutputs& outputs);

/// Name of the reference's output that an output is compared with.
const std::string& name_of_want(const OutputArray& spec);

/// Compares all outputs with those of the reference, `want`; null: they are the reference's own.
/// Fills a record for each. Returns the error of the first wrong one.
Wrong compare_outputs(const std::vector<OutputArray>& specs, const OutputArrays& got,
                      const OutputArrays* want, std::vector<OutputRecord>& records);

/// True if compare_outputs() would find no error; takes less time.
bool are_right(const std::vector<OutputArray>& specs, const OutputArrays& got,
               const OutputArrays& want);

/// Removes error numbers, which are meaningless if elements were not written or others were
/// overwritten.
void forget_errors(OutputRecord& record);

/// Applies a job's changes to the workload's tolerances: `all` first, then those of single outputs.
/// Throws SpecError with the place in the job if a bound of a reduction is requested for which the
/// workload declares no number of terms.
void change_tolerances(std::vector<OutputArray>& outputs, const ToleranceSpec& all,
                       const std::vector<std::pair<std::string, ToleranceSpec>>& single);

}  // namespace kernelbatch
