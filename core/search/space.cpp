#include "core/search/space.hpp"

#include <limits>
#include <stdexcept>
#include <utility>

namespace kernelbatch {

std::uint64_t random_below(SearchRandom& random, std::uint64_t count) {
  // Own implementation: std::uniform_int_distribution differs between standard libraries.
  const std::uint64_t least = -count % count;
  std::uint64_t value = random();
  while (value < least) value = random();
  return value % count;
}

double random_unit(SearchRandom& random) {
  constexpr double kScale = 0x1p-53;
  return static_cast<double>(random() >> 11) * kScale;
}

SearchSpace::SearchSpace(std::vector<std::uint32_t> lengths, Filter filter)
    : lengths_(std::move(lengths)), filter_(std::move(filter)) {
  constexpr std::uint64_t kTooMany = std::uint64_t{1} << 63;
  if (lengths_.empty()) throw std::invalid_argument("a search needs a parameter");
  for (const std::uint32_t length : lengths_) {
    if (length == 0) throw std::invalid_argument("a parameter of a search needs a value");
    if (combinations_ > kTooMany / length)
      throw std::invalid_argument("a search has more than 2^63 combinations");
    combinations_ *= length;
  }
}

bool SearchSpace::contains(std::span<const std::uint32_t> configuration) const {
  if (configuration.size() != lengths_.size()) return false;
  for (std::size_t k = 0; k < lengths_.size(); ++k)
    if (configuration[k] >= lengths_[k]) return false;
  return !filter_ || filter_(configuration);
}

std::uint64_t SearchSpace::number_of(std::span<const std::uint32_t> configuration) const {
  std::uint64_t number = 0;
  for (std::size_t k = 0; k < lengths_.size(); ++k)
    number = number * lengths_[k] + configuration[k];
  return number;
}

Configuration SearchSpace::at(std::uint64_t number) const {
  Configuration configuration(lengths_.size());
  for (std::size_t k = lengths_.size(); k-- > 0; number /= lengths_[k])
    configuration[k] = static_cast<std::uint32_t>(number % lengths_[k]);
  return configuration;
}

std::optional<Configuration> SearchSpace::random(SearchRandom& random) const {
  constexpr int kTries = 1000;
  Configuration configuration(lengths_.size());
  for (int attempt = 0; attempt < kTries; ++attempt) {
    for (std::size_t k = 0; k < lengths_.size(); ++k)
      configuration[k] = static_cast<std::uint32_t>(random_below(random, lengths_[k]));
    if (contains(configuration)) return configuration;
  }
  return next(random_below(random, combinations_), [](std::uint64_t) { return true; });
}

std::optional<Configuration> SearchSpace::next(
    std::uint64_t number, const std::function<bool(std::uint64_t)>& wanted) const {
  Configuration configuration = at(number);
  for (std::uint64_t seen = 0; seen < combinations_; ++seen) {
    if (wanted(number) && contains(configuration)) return configuration;
    number = number + 1 == combinations_ ? 0 : number + 1;
    for (std::size_t k = lengths_.size(); k-- > 0;) {
      if (++configuration[k] < lengths_[k]) break;
      configuration[k] = 0;
    }
  }
  return std::nullopt;
}

std::vector<Configuration> SearchSpace::neighbours(const Configuration& configuration) const {
  std::vector<Configuration> all;
  Configuration other = configuration;
  for (std::size_t k = 0; k < lengths_.size(); ++k) {
    for (other[k] = 0; other[k] < lengths_[k]; ++other[k])
      if (other[k] != configuration[k] && contains(other)) all.push_back(other);
    other[k] = configuration[k];
  }
  return all;
}

}  // namespace kernelbatch
