// Statistics used by several rooms.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kernelbatch {

/// Quantile of ascending values with linear interpolation; `share` from 0 to 1. At least one value.
double quantile(std::span<const double> sorted, double share);

/// Median of values in any order. At least one value.
double median_of(std::vector<double> values);

/// Two-sided p-value of Student's t.
double student_p(double t, std::size_t freedom);

/// Half-width of the 95 % interval of a mean in standard errors, for `freedom` degrees of freedom,
/// at least 1: 12.706, 4.303, …, 1.960.
double student_half_width(std::size_t freedom);

}  // namespace kernelbatch
