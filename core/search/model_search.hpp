// `search: auto`.
#pragma once

#include "core/search/model.hpp"
#include "core/search/strategy.hpp"

namespace kernelbatch {

/// What makes one search of this kind different from another. The defaults are what did best on
/// recorded spaces (tests/search/README.md).
struct ModelSettings {
  std::size_t first = 5;         ///< random configurations before the model says anything
  std::size_t planned = 2;       ///< given before the model learns again
  std::size_t elite = 20;        ///< of the fastest, whose neighbours are looked at
  std::size_t neighbours = 240;  ///< at most so many of these
  std::size_t anywhere = 60;     ///< random configurations that are looked at, too
  double clip = 0.6;             ///< times above this quantile count as that
  /// By how much, in standard deviations of all values, a gain must be more than nothing to count.
  double least_gain = 0.2;
  double differs = 0.1;  ///< see GaussianProcess
};

/// Bayesian optimisation. After a few random configurations a Gaussian process of the times'
/// logarithms says of each of many candidates (neighbours of the best, random ones) by how much it
/// can be expected to be faster than the best; the most promising are tried.
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
  std::vector<std::size_t> chosen_;  ///< of tried(), what the model knows
  std::size_t newest_ = 0, learnt_ = 0, fitted_ = 0;
  double best_value_ = 0;  ///< as the model has it
};

}  // namespace kernelbatch
