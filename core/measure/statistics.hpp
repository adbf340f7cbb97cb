// Order statistics of timing samples.
#pragma once

#include <span>
#include <vector>

#include "core/result/record.hpp"

namespace kernelbatch {

/// Median, quartiles (linear interpolation), MAD, and the 95 % interval of the median from order
/// statistics: ranks n/2 ∓ 1.96·√n/2, with no assumption about the distribution (W. Conover,
/// "Practical nonparametric statistics", section 3.2). Fewer than 6 samples: minimum and maximum.
Summary summarise(std::span<const double> samples);

/// Width of that interval relative to the median; infinite for fewer than 6 samples.
double relative_interval(std::span<const double> samples);

/// Standard deviation (unbiased variance) over mean; infinite for fewer than 5 samples.
double relative_noise(std::span<const double> samples);

}  // namespace kernelbatch
