#include "core/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/statistics.hpp"

namespace kernelbatch {
Summary summarise(std::span<const double> samples) {
  Summary summary;
  summary.samples = static_cast<std::int64_t>(samples.size());
  if (samples.empty()) return summary;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const auto n = static_cast<double>(sorted.size());
  summary.median = quantile(sorted, 0.5);
  summary.iqr = quantile(sorted, 0.75) - quantile(sorted, 0.25);
  summary.min = sorted.front();
  summary.max = sorted.back();
  summary.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / n;
  std::vector<double> deviations;
  for (const double sample : sorted) deviations.push_back(std::abs(sample - summary.median));
  std::sort(deviations.begin(), deviations.end());
  summary.mad = quantile(deviations, 0.5);
  // Ranks from 1; for five samples and fewer no pair of ranks covers 95 %.
  const double half_width = 0.98 * std::sqrt(n);
  const double low = std::max(1.0, std::floor(n / 2 - half_width));
  const double high = std::min(n, std::ceil(n / 2 + 1 + half_width));
  summary.ci95_low = sorted[static_cast<std::size_t>(low) - 1];
  summary.ci95_high = sorted[static_cast<std::size_t>(high) - 1];
  return summary;
}

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
