// Values in jobs: numbers, expressions, dtypes, nested lists, views.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/array/number.hpp"
#include "core/array/view.hpp"
#include "core/base/value.hpp"
#include "core/job/spec.hpp"
#include "core/job/yaml.hpp"

namespace kernelbatch {

/// The number given by a text or an expression of `values`. Throws SpecError with the place.
Number evaluate_number(const Scalar& scalar, const NamedValues& values);
std::int64_t evaluate_integer(const Scalar& scalar, const NamedValues& values);

/// A list of integers, `[2, n]`, or one. `what` names it in messages.
std::vector<std::int64_t> evaluate_integers(const Scalar& scalar, const NamedValues& values,
                                            std::string_view what);

/// The named dtype, or the one given by the text parameter of that name. Throws SpecError with the
/// place and the nearest name, also for C++'s names of the same types.
DType read_dtype(const Scalar& scalar, const NamedValues& values);

/// Nested lists of numbers as a contiguous host array; if `dtype` is empty, the widest kind among
/// the numbers. Throws SpecError with the place for ragged lists.
Array read_values(const YamlNode& node, std::optional<DType> dtype, const NamedValues& values);

/// `slice`, `transpose`, `broadcast_to` and `reshape` in the order written.
std::vector<ViewStep> read_view_steps(const std::vector<std::pair<std::string, Scalar>>& options,
                                      const NamedValues& values);

}  // namespace kernelbatch
