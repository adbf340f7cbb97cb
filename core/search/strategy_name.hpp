// Names of the search strategies.
#pragma once

#include <cstdint>

#include "core/base/choice.hpp"

namespace kernelbatch {

enum class SearchStrategy : std::uint8_t {
  kAuto,        ///< the best one: a model of all times so far, see model.hpp
  kExhaustive,  ///< every configuration, in order
  kRandom,
  kLocal,      ///< descents to neighbours from the best, each after a random change
  kGenetic,    ///< crossover and mutation of the best
  kAnnealing,  ///< a walk that goes uphill with decreasing probability
};
template <>
struct Names<SearchStrategy> {
  static constexpr Named<SearchStrategy> rows[] = {
      {SearchStrategy::kAuto, "auto"},       {SearchStrategy::kExhaustive, "exhaustive"},
      {SearchStrategy::kRandom, "random"},   {SearchStrategy::kLocal, "local"},
      {SearchStrategy::kGenetic, "genetic"}, {SearchStrategy::kAnnealing, "annealing"},
  };
};

}  // namespace kernelbatch
