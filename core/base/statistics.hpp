// What several rooms need of statistics.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kernelbatch {

/// Quantile of ascending values with linear interpolation; `share` from 0 to 1. At least one value.
double quantile(std::span<const double> sorted, double share);

/// The same of values in any order, in the middle. At least one value.
double median_of(std::vector<double> values);

/// Two-sided p-value of Student's t.
double student_p(double t, std::size_t freedom);

/// Half of the 95 % interval of a mean in standard errors, for so many degrees of freedom, 1 or
/// more: 12.706, 4.303, …, 1.960.
double student_half_width(std::size_t freedom);

}  // namespace kernelbatch
