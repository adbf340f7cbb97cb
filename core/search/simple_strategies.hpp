// Strategies without a model, for comparison or on request.
#pragma once

#include "core/search/strategy.hpp"

namespace kernelbatch {

class ExhaustiveSearch : public Strategy {
 public:
  using Strategy::Strategy;

 private:
  void refill() override;

  std::uint64_t next_ = 0;
};

class RandomSearch : public Strategy {
 public:
  using Strategy::Strategy;

 private:
  void refill() override {}
};

/// Iterated local search: from the best of a few random configurations to the first faster
/// neighbour, until there is none; then a few parameters of the best change at random, and the
/// descent repeats.
class LocalSearch : public Strategy {
 public:
  using Strategy::Strategy;

 private:
  void refill() override;
  void take(const Configuration& configuration, double time) override;
  void descend();

  Configuration current_;
  double current_time_ = 0;
  bool has_current_ = false, is_kicked_ = false;
};

/// A population of the best so far; a child takes each parameter from one of two parents, and
/// occasionally a random value.
class GeneticSearch : public Strategy {
 public:
  using Strategy::Strategy;

 private:
  void refill() override;
  Configuration parent();

  std::vector<Tried> population_;
  std::size_t taken_ = 0;  ///< of tried()
};

/// A walk among neighbours: a slower one is accepted with a probability that decreases with every
/// step.
class AnnealingSearch : public Strategy {
 public:
  using Strategy::Strategy;

 private:
  void refill() override;
  void take(const Configuration& configuration, double time) override;

  Configuration current_;
  double current_time_ = 0, temperature_ = kHot;
  bool has_current_ = false;

  static constexpr double kHot = 0.5, kCold = 0.005, kCooling = 0.98;  ///< of the time's logarithm
};

}  // namespace kernelbatch
