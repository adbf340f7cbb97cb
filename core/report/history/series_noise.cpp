#include "core/report/history/series_noise.hpp"

#include <algorithm>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>

namespace kernelbatch::history {
namespace {

// The values are not critical: half or twice as much gives the same results.
constexpr std::size_t kWindow = 5;        // of neighbours
constexpr double kMedianVariance = 0.29;  // of its median, in variances of a run
constexpr double kLimit = 2, kSpike = 4;  // standard deviations from it
constexpr double kPriorSpikes = 0.5, kPriorSpikeRuns = 25;
constexpr double kKept = 0.75;     // share of differences used for the first noise estimate
constexpr double kFirstPhi = 0.3;  // initial value
constexpr double kPriorPhi = 0.5, kPriorPhiRuns = 25, kLargestPhi = 0.8;
constexpr std::size_t kReach = 15;               // runs on either side used for a run's local noise
constexpr double kCommon = 40;                   // weight of the common noise, in runs
constexpr double kLeastWeightedVariance = 0.01;  // of the median one by the intervals
constexpr double kLeastVariance = 1e-20;  // relative differences below any timer's resolution

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// The x in [0, high] at which `falling(x)` is 1, to 0.1 %; 0 if it starts below 1.
template <class Function>
double where_one(const Function& falling, double high) {
  if (falling(0) <= 1) return 0;
  double low = 0;
  while (high > kLeastVariance && high - low > 1e-3 * high) {
    const double middle = low > 0 ? (low + high) / 2 : high / 16;
    (falling(middle) > 1 ? low : high) = middle;
  }
  return high;
}

struct Limits {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
};

/// Limits of each run: only a value that is far from the medians of all windows containing the run
/// is beyond them. Among three spikes in a row one is the median of a window; among two none is.
std::vector<Limits> limits(const Runs& runs, const Noise& noise, double times) {
  std::vector<Limits> result(runs.size());
  const std::size_t length = std::min(kWindow, runs.size());
  for (std::size_t begin = 0; begin + length <= runs.size(); ++begin) {
    std::array<double, kWindow> sorted{};
    double variance = 0;
    for (std::size_t k = 0; k < length; ++k) {
      sorted[k] = runs.log[begin + k];
      variance += noise.variance(runs, begin + k) / static_cast<double>(length);
    }
    std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(length));
    const double median = (sorted[(length - 1) / 2] + sorted[length / 2]) / 2;
    for (std::size_t k = begin; k < begin + length; ++k) {
      const double reach = times * std::sqrt(noise.variance(runs, k) + kMedianVariance * variance);
      result[k].low = std::min(result[k].low, median - reach);
      result[k].high = std::max(result[k].high, median + reach);
    }
  }
  return result;
}

/// Local noise around each run relative to the overall noise.
std::vector<double> local_factors(const std::vector<double>& squares) {
  std::vector<double> sums(squares.size() + 1), factors(squares.size());
  for (std::size_t k = 0; k < squares.size(); ++k) sums[k + 1] = sums[k] + squares[k];
  const std::size_t window = std::min(2 * kReach + 1, squares.size());
  for (std::size_t k = 0; k < squares.size(); ++k) {
    const std::size_t begin = std::min(k - std::min(k, kReach), squares.size() - window);
    factors[k] =
        (sums[begin + window] - sums[begin] + kCommon) / (static_cast<double>(window) + kCommon);
  }
  return factors;
}

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> parts_of(const Cuts& cuts, std::size_t count) {
  std::vector<std::pair<std::size_t, std::size_t>> parts;
  std::size_t begin = 0;
  for (const std::size_t cut : cuts) {
    parts.emplace_back(begin, cut);
    begin = cut;
  }
  parts.emplace_back(begin, count);
  return parts;
}

Runs usable_runs(std::span<const SeriesPoint> series) {
  Runs runs;
  std::vector<double> known;
  const double width = 2 * boost::math::quantile(boost::math::normal(), 0.975);
  for (std::size_t k = 0; k < series.size(); ++k) {
    const auto& [value, low, high] = series[k];
    if (!(value > 0) || !std::isfinite(value)) continue;
    runs.index.push_back(k);
    runs.log.push_back(std::log(value));
    const bool is_known = low > 0 && low <= value && value <= high && std::isfinite(high);
    runs.sampling.push_back(is_known ? std::pow(std::log(high / low) / width, 2) : -1);
    if (is_known) known.push_back(runs.sampling.back());
  }
  if (runs.log.empty()) return runs;
  runs.centre = median_of(runs.log);
  for (double& log : runs.log) log -= runs.centre;
  const double typical = known.empty() ? 0 : median_of(known);
  // An interval of zero width, from a coarse timer, does not give infinite weight.
  for (double& variance : runs.sampling)
    variance = variance < 0 ? typical : std::max(variance, kLeastWeightedVariance * typical);
  return runs;
}

double Noise::variance(const Runs& runs, std::size_t run) const {
  return std::max((between + runs.sampling[run]) * factor[run], kLeastVariance);
}

Noise first_noise(const Runs& runs) {
  const std::size_t count = runs.size() - 1;
  const auto kept = static_cast<std::size_t>(std::ceil(kKept * static_cast<double>(count)));
  // Mean square of a normal distribution truncated like the differences.
  const boost::math::normal normal;
  const double end = boost::math::quantile(normal, (1 + kKept) / 2);
  const double expected = kKept - 2 * end * boost::math::pdf(normal, end);
  std::vector<double> squares(count);
  const auto excess = [&](double between) {
    for (std::size_t k = 0; k < count; ++k) {
      const double variance = 2 * between + runs.sampling[k] + runs.sampling[k + 1];
      squares[k] = std::pow(runs.log[k + 1] - runs.log[k], 2) / std::max(variance, kLeastVariance);
    }
    std::ranges::nth_element(squares, squares.begin() + static_cast<std::ptrdiff_t>(kept) - 1);
    double sum = 0;
    for (std::size_t k = 0; k < kept; ++k) sum += squares[k];
    return sum / (expected * static_cast<double>(count));
  };
  double largest = 0;
  for (std::size_t k = 0; k < count; ++k)
    largest = std::max(largest, std::pow(runs.log[k + 1] - runs.log[k], 2));
  return {.between = where_one(excess, 2 * largest),
          .factor = std::vector<double>(runs.size(), 1),
          .phi = kFirstPhi};
}

WeightedRuns::WeightedRuns(const Runs& runs, const Noise& noise)
    : inflation_(runs.size() + 1, 1), sums_(runs.size() + 1) {
  const auto count = static_cast<double>(runs.size());
  const std::vector<Limits> near = limits(runs, noise, kLimit), far = limits(runs, noise, kSpike);
  double squared_weights = 0, spikes = kPriorSpikes;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const double value = std::clamp(runs.log[k], near[k].low, near[k].high);
    values_.push_back(value);
    if (runs.log[k] < far[k].low || runs.log[k] > far[k].high) ++spikes;
    const double weight = 1 / noise.variance(runs, k);
    squared_weights += weight * weight;
    sums_[k + 1] = {sums_[k].weight + weight, sums_[k].first + weight * value,
                    sums_[k].second + weight * value * value};
  }
  spike_share_ = spikes / (count + kPriorSpikeRuns);
  const double equal_runs = std::pow(sums_.back().weight, 2) / squared_weights;
  freedom_ = std::max(1.0, equal_runs - static_cast<double>(noise.segments) - 1);
  // Variance of the mean of n runs, in that of n independent ones: G. Box, G. Jenkins, "Time series
  // analysis", autoregressive process of first order.
  const double phi = noise.phi, rest = 1 - phi;
  double power = 1;
  for (std::size_t n = 1; n <= runs.size(); ++n) {
    power *= phi;
    inflation_[n] =
        (1 + phi) / rest - 2 * phi * (1 - power) / (static_cast<double>(n) * rest * rest);
  }
}

Part WeightedRuns::part(std::size_t begin, std::size_t end) const {
  const double weight = sums_[end].weight - sums_[begin].weight;
  const double first = sums_[end].first - sums_[begin].first;
  const double second = sums_[end].second - sums_[begin].second;
  return {static_cast<double>(end - begin), weight, first / weight,
          std::max(0.0, second - first * first / weight)};
}

double WeightedRuns::variance(const Part& part) const {
  // Its own variance counts if it exceeds the noise's by more than its standard error.
  const double freedom = std::max(1.0, part.runs - 1);
  const double own = part.squares / (freedom + std::sqrt(2 * freedom));
  return std::max(1.0, own) * inflation_[static_cast<std::size_t>(part.runs)] / part.weight;
}

Difference WeightedRuns::difference(std::size_t begin, std::size_t cut, std::size_t end) const {
  const Part before = part(begin, cut), after = part(cut, end);
  return {after.mean - before.mean, variance(before) + variance(after)};
}

Noise noise_around(const Runs& runs, const WeightedRuns& weighted, const Cuts& cuts) {
  const auto parts = parts_of(cuts, runs.size());
  std::vector<double> residuals(runs.size());
  double largest = 0;
  for (const auto& [begin, end] : parts) {
    const double mean = weighted.part(begin, end).mean;
    for (std::size_t k = begin; k < end; ++k) {
      residuals[k] = weighted.value(k) - mean;
      largest = std::max(largest, residuals[k] * residuals[k]);
    }
  }
  const auto count = static_cast<double>(runs.size()), means = static_cast<double>(parts.size());
  const double freedom = std::max(1.0, count - means);
  std::vector<double> squares(runs.size());
  const auto excess = [&](double between) {
    double sum = 0;
    for (std::size_t k = 0; k < runs.size(); ++k) {
      squares[k] =
          residuals[k] * residuals[k] / std::max(between + runs.sampling[k], kLeastVariance);
      sum += squares[k];
    }
    return sum / freedom;
  };
  Noise noise;
  noise.between = where_one(excess, largest * count / freedom);
  noise.segments = parts.size();
  excess(noise.between);
  noise.factor = local_factors(squares);
  double products = 0, sum = 0;
  const auto standard = [&](std::size_t k) {
    return residuals[k] / std::sqrt(noise.variance(runs, k));
  };
  for (const auto& [begin, end] : parts)
    for (std::size_t k = begin; k < end; ++k) {
      sum += std::pow(standard(k), 2);
      if (k + 1 < end) products += standard(k) * standard(k + 1);
    }
  double phi = sum > 0 ? products / sum : 0;
  phi += (1 + 3 * phi) * means / count;  // bias from the estimated means
  noise.phi = std::clamp((count * phi + kPriorPhiRuns * kPriorPhi) / (count + kPriorPhiRuns), 0.0,
                         kLargestPhi);
  return noise;
}

}  // namespace kernelbatch::history
