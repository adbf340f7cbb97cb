#include "core/search/simple_strategies.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kernelbatch {
namespace {

/// Number of random configurations before the first conclusions.
constexpr std::size_t kFirstGeneration = 20;

template <class T>
void shuffle(std::vector<T>& values, SearchRandom& random) {
  for (std::size_t k = values.size(); k > 1; --k)
    std::swap(values[k - 1], values[random_below(random, k)]);
}

/// Changes `changes` parameters at random; returns `from` if no other configuration was found.
Configuration changed(const SearchSpace& space, const Configuration& from, std::size_t changes,
                      SearchRandom& random) {
  constexpr int kTries = 100;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    Configuration other = from;
    for (std::size_t k = 0; k < changes; ++k) {
      const std::size_t parameter = random_below(random, space.parameters());
      other[parameter] = static_cast<std::uint32_t>(random_below(random, space.values(parameter)));
    }
    if (other != from && space.contains(other)) return other;
  }
  return from;
}

}  // namespace

void ExhaustiveSearch::refill() {
  constexpr int kAtOnce = 8;
  for (int k = 0; k < kAtOnce && next_ < space().combinations(); ++k) {
    auto found = space().next(next_, [&](std::uint64_t number) { return number >= next_; });
    next_ = found ? space().number_of(*found) + 1 : space().combinations();
    if (found) plan(std::move(*found));
  }
}

void LocalSearch::refill() {
  if (tried().size() < kFirstGeneration || best() == nullptr) return;
  if (!has_current_) {
    current_ = best()->configuration;
    current_time_ = best()->time;
    has_current_ = true;
  }
  constexpr int kKicks = 50;
  for (int kick = 0; kick < kKicks; ++kick) {
    descend();
    std::vector<Configuration> next = space().neighbours(current_);
    std::erase_if(next, [this](const Configuration& each) { return is_known(each); });
    if (!next.empty()) {
      shuffle(next, random());
      for (Configuration& each : next) plan(std::move(each));
      return;
    }
    current_ = changed(space(), best()->configuration, 2 + random_below(random(), 2), random());
    const std::optional<double> known = time_of(current_);
    if (!known) {
      is_kicked_ = true;
      plan(current_);
      return;
    }
    current_time_ = std::isnan(*known) ? INFINITY : *known;
  }
}

/// Descends along known configurations.
void LocalSearch::descend() {
  for (bool moves = true; moves;) {
    moves = false;
    for (Configuration& each : space().neighbours(current_))
      if (const auto time = time_of(each); time && *time < current_time_) {
        current_ = std::move(each);
        current_time_ = *time;
        moves = true;
        break;
      }
  }
}

void LocalSearch::take(const Configuration& configuration, double time) {
  if (is_kicked_ && configuration == current_) {
    is_kicked_ = false;
    current_time_ = std::isnan(time) ? INFINITY : time;
  } else if (has_current_ && time < current_time_) {
    current_ = configuration;
    current_time_ = time;
    drop_plans();
  }
}

void GeneticSearch::refill() {
  constexpr std::size_t kPopulation = 20;
  constexpr double kMutates = 0.1;
  for (; taken_ < tried().size(); ++taken_)
    if (!std::isnan(tried()[taken_].time)) population_.push_back(tried()[taken_]);
  std::ranges::stable_sort(population_, {}, &Tried::time);
  if (population_.size() > kPopulation) population_.resize(kPopulation);
  if (tried().size() < kFirstGeneration || population_.size() < 2) return;
  constexpr int kTries = 200;
  for (int attempt = 0, planned = 0; attempt < kTries && planned < 10; ++attempt) {
    const Configuration mother = parent(), father = parent();
    Configuration child = mother;
    for (std::size_t k = 0; k < child.size(); ++k) {
      if (random_below(random(), 2) == 0) child[k] = father[k];
      if (random_unit(random()) < kMutates)
        child[k] = static_cast<std::uint32_t>(random_below(random(), space().values(k)));
    }
    if (!space().contains(child) || is_known(child)) continue;
    plan(std::move(child));
    ++planned;
  }
}

/// The better of two random members.
Configuration GeneticSearch::parent() {
  const std::size_t one = random_below(random(), population_.size());
  const std::size_t other = random_below(random(), population_.size());
  return population_[std::min(one, other)].configuration;
}

void AnnealingSearch::refill() {
  if (!has_current_) return;
  // Known neighbours cost nothing; the walk continues over them.
  constexpr int kSteps = 200;
  for (int step = 0; step < kSteps; ++step) {
    Configuration next = changed(space(), current_, 1, random());
    const std::optional<double> time = time_of(next);
    if (!time) return plan(std::move(next));
    take(next, *time);
  }
}

void AnnealingSearch::take(const Configuration& configuration, double time) {
  if (std::isnan(time)) return;
  const double worse = has_current_ ? std::log(time / current_time_) : -1;
  if (worse <= 0 || random_unit(random()) < std::exp(-worse / temperature_)) {
    current_ = configuration;
    current_time_ = time;
    has_current_ = true;
  }
  temperature_ *= kCooling;
  if (temperature_ < kCold) {
    temperature_ = kHot / 4;
    current_ = best()->configuration;
    current_time_ = best()->time;
  }
}

}  // namespace kernelbatch
