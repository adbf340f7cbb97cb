// Order statistics of timing samples.
#pragma once

#include <span>

#include "core/result/summarise.hpp"

namespace kernelbatch {

/// Relative width of the median's interval; infinite for fewer than 6 samples.
double relative_interval(std::span<const double> samples);

/// Relative standard deviation (unbiased variance); infinite for fewer than 5 samples.
double relative_noise(std::span<const double> samples);

}  // namespace kernelbatch
