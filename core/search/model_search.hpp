// `search: auto`.
#pragma once

#include "core/search/model.hpp"
#include "core/search/strategy.hpp"

namespace kernelbatch {

/// Settings of this search. The defaults did best on recorded spaces (tests/bench/search).
struct ModelSettings {
  std::size_t first = 5;         ///< random configurations before the model is used
  std::size_t planned = 2;       ///< tries between updates of the model
  std::size_t elite = 20;        ///< number of the fastest whose neighbours are candidates
  std::size_t neighbours = 240;  ///< maximum number of such neighbours
  std::size_t anywhere = 60;     ///< number of random candidates
  double clip = 0.6;             ///< times above this quantile are clipped to it
  /// Minimum gain that counts, in standard deviations of all values.
  double least_gain = 0.2;
  double differs = 0.1;  ///< see GaussianProcess
};

/// Bayesian optimisation. After a few random configurations, a Gaussian process of the times'
/// logarithms predicts the expected improvement over the best for many candidates (neighbours of
/// the best, random ones); the most promising are tried.
class ModelSearch : public Strategy {
 public:
  ModelSearch(const SearchSpace& space, std::uint64_t seed, const ModelSettings& settings = {})
      : Strategy(space, seed), settings_(settings), model_(space, settings.differs) {}

 private:
  void refill() override;
  void choose();
  void learn();
  std::vector<Configuration> candidates();

  ModelSettings settings_;
  GaussianProcess model_;
  std::vector<std::size_t> chosen_;  ///< entries of tried() known to the model
  std::size_t newest_ = 0, learnt_ = 0, fitted_ = 0;
  double best_value_ = 0;  ///< in the model's scale
};

}  // namespace kernelbatch
