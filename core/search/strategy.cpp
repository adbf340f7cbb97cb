#include "core/search/strategy.hpp"

#include <algorithm>
#include <cmath>

#include "core/search/model_search.hpp"
#include "core/search/simple_strategies.hpp"

namespace kernelbatch {
namespace {

/// Returned by ask() but not reported yet. Times are never negative.
constexpr double kAsked = -1;

}  // namespace

std::optional<Configuration> Strategy::ask() {
  const auto give = [this](Configuration configuration) {
    known_.emplace(space_.number_of(configuration), kAsked);
    return std::optional(std::move(configuration));
  };
  for (int round = 0; round < 2; ++round) {
    while (!queue_.empty()) {
      Configuration next = std::move(queue_.front());
      queue_.pop_front();
      if (!is_known(next)) return give(std::move(next));
    }
    if (round == 0) refill();
  }
  constexpr int kTries = 20;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    auto any = space_.random(random_);
    if (!any) return std::nullopt;
    if (!is_known(*any)) return give(std::move(*any));
  }
  auto left = space_.next(random_below(random_, space_.combinations()),
                          [this](std::uint64_t number) { return !known_.contains(number); });
  return left ? give(std::move(*left)) : std::nullopt;
}

std::vector<Configuration> Strategy::upcoming(std::size_t count) const {
  std::vector<Configuration> next;
  const auto add = [&](const Configuration& each) {
    if (next.size() < count && !is_known(each) && std::ranges::find(next, each) == next.end())
      next.push_back(each);
  };
  for (const Configuration& planned : queue_) add(planned);
  if (!next.empty()) return next;
  SearchRandom random = random_;
  for (std::size_t attempt = 0; attempt < 2 * count; ++attempt)
    if (const auto any = space_.random(random)) add(*any);
  return next;
}

void Strategy::tell(const Configuration& configuration, double time) {
  const auto [place, is_new] = known_.try_emplace(space_.number_of(configuration), time);
  if (!is_new) {
    if (place->second != kAsked) return;
    place->second = time;
  }
  tried_.push_back({configuration, time});
  if (!std::isnan(time) && (!has_best_ || time < tried_[best_].time)) {
    best_ = tried_.size() - 1;
    has_best_ = true;
  }
  take(configuration, time);
}

void Strategy::take(const Configuration&, double) {}

const Tried* Strategy::best() const noexcept { return has_best_ ? &tried_[best_] : nullptr; }

bool Strategy::is_known(const Configuration& configuration) const {
  return known_.contains(space_.number_of(configuration));
}

std::optional<double> Strategy::time_of(const Configuration& configuration) const {
  const auto found = known_.find(space_.number_of(configuration));
  if (found == known_.end() || found->second == kAsked) return std::nullopt;
  return found->second;
}

std::unique_ptr<Strategy> make_strategy(SearchStrategy strategy, const SearchSpace& space,
                                        std::uint64_t seed) {
  switch (strategy) {
    case SearchStrategy::kAuto:
      return std::make_unique<ModelSearch>(space, seed);
    case SearchStrategy::kExhaustive:
      return std::make_unique<ExhaustiveSearch>(space, seed);
    case SearchStrategy::kRandom:
      return std::make_unique<RandomSearch>(space, seed);
    case SearchStrategy::kLocal:
      return std::make_unique<LocalSearch>(space, seed);
    case SearchStrategy::kGenetic:
      return std::make_unique<GeneticSearch>(space, seed);
    case SearchStrategy::kAnnealing:
      return std::make_unique<AnnealingSearch>(space, seed);
  }
  return nullptr;
}

}  // namespace kernelbatch
