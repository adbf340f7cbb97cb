// Series of benchmark medians with known changes, or none, in several kinds of noise.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include "core/report/history/change_points.hpp"

namespace kernelbatch::test {

enum class NoiseKind : std::uint8_t {
  kNormal,
  kSpikes,      ///< Student's t of 3 degrees of freedom; 3 % of runs are slower by 10 % in the mean
  kCorrelated,  ///< normal, autoregressive, 0.3 from one run to the next
  kIntervals,   ///< each run as noisy as its interval: between 0.2 and 4 times the level
  kRestless,    ///< three times as noisy in the second half
  kTicks,       ///< normal; a timer that ticks in steps of 0.6 %
};
inline constexpr std::array kNoiseKinds{NoiseKind::kNormal,     NoiseKind::kSpikes,
                                        NoiseKind::kCorrelated, NoiseKind::kIntervals,
                                        NoiseKind::kRestless,   NoiseKind::kTicks};
inline constexpr std::array<std::string_view, kNoiseKinds.size()> kNoiseNames{
    "normal", "spikes", "correlated", "intervals", "restless", "ticks"};

enum class Pattern : std::uint8_t { kNone, kUp, kDown, kTwo, kRamp, kLate };
/// Those with a change.
inline constexpr std::array kPatterns{Pattern::kUp, Pattern::kDown, Pattern::kTwo, Pattern::kRamp,
                                      Pattern::kLate};

/// A change lies from its first run to its last.
struct MadeUpChange {
  std::size_t first, last;
};

struct MadeUpSeries {
  std::vector<SeriesPoint> points;
  std::vector<MadeUpChange> changes;
};

using Random = std::mt19937_64;

/// Logarithms of `count` runs, with the spread of each run's own interval.
inline std::vector<SeriesPoint> made_up_noise(NoiseKind kind, double level, std::size_t count,
                                              Random& random) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> share;
  std::student_t_distribution<double> heavy(3);
  std::gamma_distribution<double> estimated(15, 1.0 / 15);  // a variance from 31 samples
  std::vector<SeriesPoint> points;
  double state = normal(random);
  for (std::size_t k = 0; k < count; ++k) {
    double spread = 0.3 * level, error = level * normal(random);
    switch (kind) {
      case NoiseKind::kSpikes:
        error = 0.88 * level * heavy(random);  // with a normal distribution's quartiles
        if (share(random) < 0.03) error -= 0.1 * std::log(1 - share(random));
        break;
      case NoiseKind::kCorrelated:
        state = 0.3 * state + std::sqrt(1 - 0.3 * 0.3) * normal(random);
        error = level * state;
        break;
      case NoiseKind::kIntervals:
        spread = 0.2 * level * std::pow(20, share(random));
        error = std::hypot(0.4 * level, spread) * normal(random);
        break;
      case NoiseKind::kRestless:
        error *= 2 * k < count ? 0.6 : 1.8;
        break;
      default:
        break;
    }
    const double half_width = 1.96 * spread * std::sqrt(estimated(random));
    points.push_back({std::exp(error), std::exp(error - half_width), std::exp(error + half_width)});
  }
  return points;
}

/// A relative step, in a series of 20 runs or more.
inline MadeUpSeries made_up_series(NoiseKind kind, double level, Pattern pattern, double step,
                                   std::size_t count, Random& random) {
  constexpr std::size_t kRampRuns = 10, kLateRuns = 8;
  MadeUpSeries series{made_up_noise(kind, level, count, random), {}};
  const auto pick = [&](std::size_t low, std::size_t high) {
    return std::uniform_int_distribution<std::size_t>(low, high)(random);
  };
  std::vector<double> times(count, 1);
  const auto change = [&](std::size_t first, double factor, std::size_t runs = 1) {
    series.changes.push_back({first, first + runs - 1});
    for (std::size_t k = first; k < count; ++k)
      times[k] *= std::pow(
          factor, std::min(1.0, static_cast<double>(k - first + 1) / static_cast<double>(runs)));
  };
  switch (pattern) {
    case Pattern::kNone:
      break;
    case Pattern::kUp:
      change(pick(count / 4, 3 * count / 4), 1 + step);
      break;
    case Pattern::kDown:
      change(pick(count / 4, 3 * count / 4), 1 / (1 + step));
      break;
    case Pattern::kTwo:
      change(pick(count / 4, count / 2 - count / 20), 1 + step);
      change(pick(count / 2 + count / 20, 3 * count / 4), 1 / (1 + step));
      break;
    case Pattern::kRamp:
      change(pick(count / 4, 3 * count / 4), 1 + step, kRampRuns);
      break;
    case Pattern::kLate:
      change(count - kLateRuns, 1 + step);
      break;
  }
  for (std::size_t k = 0; k < count; ++k)
    for (double SeriesPoint::*time : {&SeriesPoint::value, &SeriesPoint::low, &SeriesPoint::high}) {
      double& value = series.points[k].*time;
      value *= times[k];
      if (kind == NoiseKind::kTicks) value = 0.006 * std::round(value / 0.006);
    }
  return series;
}

}  // namespace kernelbatch::test
