#include "core/verify/verify.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/array/compare.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

std::string one_line_error(const OutputArray& spec, const Comparison& comparison) {
  std::string text = fmt::format("output '{}': {} of {} elements are wrong ({}); first at {}",
                                 spec.name, comparison.mismatches, element_count(spec.shape),
                                 to_text(spec.tolerance), comparison.first_text);
  if (comparison.times_tolerance > 0)
    text += fmt::format("; the largest error is {:.3g} times the tolerance",
                        comparison.times_tolerance);
  return text;
}

Tolerance with_changes(Tolerance tolerance, const ToleranceSpec& spec) {
  if (spec.mode) {
    tolerance.mode = *spec.mode;
  } else if (spec.rtol || spec.atol) {
    tolerance.mode = CompareMode::kAllClose;
  } else if (spec.max_ulp) {
    tolerance.mode = CompareMode::kUlp;
  }
  if (spec.rtol || spec.atol) {
    tolerance.rtol = spec.rtol.value_or(0);
    tolerance.atol = spec.atol.value_or(0);
    tolerance.row_bounds = tolerance.column_bounds = {};
  }
  if (spec.max_ulp) tolerance.max_ulp = *spec.max_ulp;
  // The workload's reason applies only to its own tolerance.
  if (spec.mode || spec.rtol || spec.atol || spec.max_ulp) tolerance.reason.clear();
  return tolerance;
}

}  // namespace

HiddenOutputs hidden(const OutputArrays& outputs) {
  HiddenOutputs all;
  for (const auto& [name, array] : outputs) all.emplace(name, array);
  return all;
}

OutputArrays shown(const HiddenOutputs& outputs) {
  OutputArrays all;
  for (const auto& [name, array] : outputs) all.emplace(name, array.shown());
  return all;
}

const std::string& name_of_want(const OutputArray& spec) {
  return spec.compared_with.empty() ? spec.name : spec.compared_with;
}

Wrong verify_output(const OutputArray& spec, const Array& got, const Array& want,
                    OutputRecord& record) {
  const Comparison comparison = compare(got, want, spec.tolerance);
  record.mode = name_of(spec.tolerance.mode);
  record.tolerance = to_text(spec.tolerance);
  record.max_abs_err = comparison.max_abs;
  record.max_rel_err = comparison.max_rel;
  record.max_ulp = comparison.max_ulp;
  record.rms_err = comparison.rms;
  record.mismatches = comparison.mismatches;
  record.first_mismatch = comparison.first_text;
  if (comparison.equal) return {};
  const std::int64_t unwritten = count_unwritten(got, want);
  if (unwritten == 0)
    return {one_line_error(spec, comparison), fmt::format("{} wrong", comparison.mismatches),
            10 * comparison.mismatches <= got.size()};
  // The sentinel of integers is an ordinary number, so errors computed from it are meaningless.
  forget_errors(record);
  return {fmt::format("output '{}': {} of {} elements were never written; first wrong one at {}",
                      spec.name, unwritten, got.size(), comparison.first_text),
          "never written"};
}

Wrong compare_outputs(const std::vector<OutputArray>& specs, const OutputArrays& got,
                      const OutputArrays* want, std::vector<OutputRecord>& records) {
  records.clear();
  Wrong first;
  for (const OutputArray& spec : specs) {
    OutputRecord output;
    output.name = spec.name;
    output.dtype = spec.dtype;
    output.shape.assign(spec.shape.begin(), spec.shape.end());
    output.dimensions = spec.dimensions;
    output.units = spec.units;
    output.help = spec.help;
    const Array& array = got.at(spec.name);
    output.xxh3 = hash_hex(std::span<const std::byte>(array.data(), array.bytes()));
    if (!spec.has_reference) {
      output.mode = "none";
    } else {
      // The reference itself has nothing to be compared with.
      const std::string& other = name_of_want(spec);
      const Array right = want == nullptr ? array : astype(want->at(other), spec.dtype);
      const Wrong wrong = verify_output(spec, array, right, output);
      if (want == nullptr) output.mode = "reference";
      if (!first) first = wrong;
    }
    records.push_back(std::move(output));
  }
  return first;
}

bool are_right(const std::vector<OutputArray>& specs, const OutputArrays& got,
               const OutputArrays& want) {
  return std::ranges::all_of(specs, [&](const OutputArray& spec) {
    if (!spec.has_reference) return true;
    const Array& right = want.at(name_of_want(spec));
    return compare(got.at(spec.name), astype(right, spec.dtype), spec.tolerance).equal;
  });
}

void forget_errors(OutputRecord& record) {
  record.max_abs_err = record.max_rel_err = record.max_ulp = record.rms_err = kMissing;
}

void change_tolerances(std::vector<OutputArray>& outputs, const ToleranceSpec& all,
                       const std::vector<std::pair<std::string, ToleranceSpec>>& single) {
  for (OutputArray& output : outputs) {
    const auto change = [&](const ToleranceSpec& spec) {
      output.tolerance = with_changes(output.tolerance, spec);
      if (spec.mode == CompareMode::kReduction && !(output.tolerance.terms > 0))
        fail_at(spec.place,
                fmt::format("output '{}' cannot be compared by the bound of a reduction: its "
                            "workload does not declare the number of terms",
                            output.name));
    };
    change(all);
    for (const auto& [name, tolerance] : single)
      if (name == output.name) change(tolerance);
  }
}

}  // namespace kernelbatch
