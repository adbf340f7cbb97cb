// A model of a search's times, fitted to the known ones.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "core/search/space.hpp"

namespace kernelbatch {

/// A Gaussian process over configurations (C. E. Rasmussen and C. K. I. Williams, "Gaussian
/// processes for machine learning", 2006, algorithm 2.1). The covariance of two configurations is
/// exp(-Σ w_d·d). For each parameter, d is 0 for equal values; else `differs`, plus the rest of 1
/// times the distance of the values in their order. The weights maximize the likelihood of the
/// known values.
class GaussianProcess {
 public:
  explicit GaussianProcess(const SearchSpace& space, double differs = 0.1);

  /// Values should have mean 0 and variance 1. A common prefix with the previous configurations is
  /// reused: n more of m cost n·m².
  void set(std::vector<Configuration> configurations, std::vector<double> values);
  /// Improves the likelihood by changing weights and noise step by step.
  void fit(int steps);

  struct Prediction {
    double mean = 0, deviation = 0;
  };
  Prediction predict(const Configuration& configuration) const;
  /// Prediction with a bound of the deviation from the nearest known configuration.
  Prediction estimate(const Configuration& configuration) const;

  std::size_t size() const noexcept { return values_.size(); }
  /// Importance of each parameter.
  std::span<const double> weights() const noexcept { return weights_; }

 private:
  double covariance(const Configuration& a, const Configuration& b) const;
  /// Contribution of each parameter to the exponent, by the distance of its values.
  void tabulate();
  /// Computes the factor for the current weights from a row on; false if it is not positive.
  bool factorise(std::size_t from = 0);
  /// Computes alpha; returns the log likelihood.
  double solve();
  double likelihood() { return factorise() ? solve() : -std::numeric_limits<double>::infinity(); }

  double differs_;
  std::vector<std::uint32_t> lengths_;
  std::vector<Configuration> configurations_;
  std::vector<double> values_;
  std::vector<double> weights_;  ///< w_d
  double noise_ = 1e-2;
  std::vector<double> table_;                ///< of all parameters, consecutive
  std::vector<std::size_t> starts_;          ///< start of each parameter's part
  std::vector<std::vector<double>> factor_;  ///< lower triangle
  std::vector<double> alpha_;                ///< K⁻¹ values
};

}  // namespace kernelbatch
