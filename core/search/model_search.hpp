// `search: auto`.
#pragma once

#include "core/search/model.hpp"
#include "core/search/strategy.hpp"

namespace kernelbatch {

/// Bayesian optimisation. After a few random configurations a Gaussian process of the times'
/// logarithms says of each of many candidates (neighbours of the best, random ones) by how much it
/// can be expected to be faster than the best; the most promising are tried.
class ModelSearch : public Strategy {
 public:
  ModelSearch(const SearchSpace& space, std::uint64_t seed)
      : Strategy(space, seed), model_(space) {}

 private:
  void refill() override;
  void choose();
  void learn();
  std::vector<Configuration> candidates();

  GaussianProcess model_;
  std::vector<std::size_t> chosen_;  ///< of tried(), what the model knows
  std::size_t newest_ = 0, learnt_ = 0, fitted_ = 0;
  double best_value_ = 0;  ///< as the model has it
};

}  // namespace kernelbatch
