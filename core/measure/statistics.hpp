// Order statistics of timing samples.
#pragma once

#include <span>

#include "core/result/summarise.hpp"

namespace kernelbatch {

/// Width of the interval of the median relative to it; infinite for fewer than 6 samples.
double relative_interval(std::span<const double> samples);

/// Standard deviation (unbiased variance) over mean; infinite for fewer than 5 samples.
double relative_noise(std::span<const double> samples);

}  // namespace kernelbatch
