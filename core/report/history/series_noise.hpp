// Noise of a series around given change points: weights and corrections for find_change_points.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "core/report/history/change_points.hpp"

namespace kernelbatch::history {

/// Ascending indices of the first run of each segment but the first.
using Cuts = std::vector<std::size_t>;

/// Begin and end of each segment.
std::vector<std::pair<std::size_t, std::size_t>> parts_of(const Cuts& cuts, std::size_t count);

/// The usable runs of a series. Cuts, and the indices below, count these.
struct Runs {
  std::vector<std::size_t> index;  ///< in the series
  double centre = 0;               ///< a logarithm near the middle
  std::vector<double> log;         ///< of the values, less the centre
  std::vector<double> sampling;    ///< variance of the logarithm by the run's own interval

  std::size_t size() const { return log.size(); }
};

Runs usable_runs(std::span<const SeriesPoint> series);

struct Noise {
  double between = 0;          ///< variance between runs in addition to their intervals
  std::vector<double> factor;  ///< of each run's variance, for periods of higher noise
  double phi = 0;              ///< correlation of neighbouring runs
  std::size_t segments = 1;    ///< number of means estimated with it

  /// Variance of a run's logarithm, above 0.
  double variance(const Runs& runs, std::size_t run) const;
};

/// Noise estimate without known change points, from the smaller differences of neighbours, which
/// changes and spikes do not affect. At least two runs.
Noise first_noise(const Runs& runs);

struct Part {
  double runs, weight, mean;
  double squares;  ///< weighted sum of squared distances from the mean
};

struct Difference {
  double of_means, variance;
  double t_squared() const { return of_means * of_means / variance; }
};

/// Weighted runs without spikes; statistics of any part in O(1).
class WeightedRuns {
 public:
  WeightedRuns(const Runs& runs, const Noise& noise);

  std::size_t size() const { return values_.size(); }
  /// A logarithm; spikes are moved to the limit.
  double value(std::size_t run) const { return values_[run]; }
  /// Degrees of freedom of the noise, of W²/Σw² equally weighted runs.
  double freedom() const { return freedom_; }
  double spike_share() const { return spike_share_; }

  Part part(std::size_t begin, std::size_t end) const;
  /// Variance of the part's mean.
  double variance(const Part& part) const;
  Difference difference(std::size_t begin, std::size_t cut, std::size_t end) const;

 private:
  struct Sums {
    double weight = 0, first = 0, second = 0;
  };
  std::vector<double> values_, inflation_;
  std::vector<Sums> sums_;
  double freedom_ = 1, spike_share_ = 0;
};

/// Noise estimate from the residuals of the segments between the cuts.
Noise noise_around(const Runs& runs, const WeightedRuns& weighted, const Cuts& cuts);

}  // namespace kernelbatch::history
