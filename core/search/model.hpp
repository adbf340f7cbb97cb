// A model of a search's times, from those that are known.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "core/search/space.hpp"

namespace kernelbatch {

/// A Gaussian process over configurations (C. E. Rasmussen and C. K. I. Williams, "Gaussian
/// processes for machine learning", 2006, algorithm 2.1). The covariance of two configurations is
/// exp(-Σ w_d·d), where d is, for each parameter, `differs` where its values differ and the rest
/// of 1 times how far apart they stand in their order; the weights are those that make the known
/// values most likely.
class GaussianProcess {
 public:
  explicit GaussianProcess(const SearchSpace& space, double differs = 0.1);

  /// Values should have mean 0 and variance 1. What the configurations have in common with those
  /// before, from the first on, costs nothing: n more of m cost n·m².
  void set(std::vector<Configuration> configurations, std::vector<double> values);
  /// Changes weights and noise step by step to what makes the values likelier.
  void fit(int steps);

  struct Prediction {
    double mean = 0, deviation = 0;
  };
  Prediction predict(const Configuration& configuration) const;
  /// Without the deviation: a bound of it from the nearest known configuration.
  Prediction estimate(const Configuration& configuration) const;

  std::size_t size() const noexcept { return values_.size(); }
  /// Of each parameter: how much it matters.
  std::span<const double> weights() const noexcept { return weights_; }

 private:
  double covariance(const Configuration& a, const Configuration& b) const;
  /// What each parameter adds to the exponent, by how far apart its values stand.
  void tabulate();
  /// Makes the factor for the current weights from a row on; false where it is not positive.
  bool factorise(std::size_t from = 0);
  /// Makes alpha; the log likelihood.
  double solve();
  double likelihood() { return factorise() ? solve() : -std::numeric_limits<double>::infinity(); }

  double differs_;
  std::vector<std::uint32_t> lengths_;
  std::vector<Configuration> configurations_;
  std::vector<double> values_;
  std::vector<double> weights_;  ///< w_d
  double noise_ = 1e-2;
  std::vector<double> table_;                ///< of all parameters, one behind the other
  std::vector<std::size_t> starts_;          ///< of each parameter's part
  std::vector<std::vector<double>> factor_;  ///< lower triangle
  std::vector<double> alpha_;                ///< K⁻¹ values
};

}  // namespace kernelbatch
