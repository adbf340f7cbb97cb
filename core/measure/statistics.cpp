#include "core/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/statistics.hpp"

namespace kernelbatch {

double relative_interval(std::span<const double> samples) {
  if (samples.size() < 6) return std::numeric_limits<double>::infinity();
  const Summary summary = summarise(samples);
  return summary.median > 0 ? (summary.ci95_high - summary.ci95_low) / summary.median
                            : std::numeric_limits<double>::infinity();
}

double relative_noise(std::span<const double> samples) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (samples.size() < 5) return kInfinity;
  const auto n = static_cast<double>(samples.size());
  const double mean = std::accumulate(samples.begin(), samples.end(), 0.0) / n;
  double squares = 0;
  for (const double sample : samples) squares += (sample - mean) * (sample - mean);
  return mean > 0 ? std::sqrt(squares / (n - 1)) / mean : kInfinity;
}

}  // namespace kernelbatch
