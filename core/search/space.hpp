// Space of a search: every combination of parameters that passes a filter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <vector>

namespace kernelbatch {

/// For each parameter the index of its value, from 0, in the order of its values.
using Configuration = std::vector<std::uint32_t>;

using SearchRandom = std::mt19937_64;
/// Uniform in [0, count); `count` is at least 1.
std::uint64_t random_below(SearchRandom& random, std::uint64_t count);
/// Uniform in [0, 1).
double random_unit(SearchRandom& random);

/// A search space. Combinations are never listed: a space of 10^7 takes only the memory of its
/// parameters.
class SearchSpace {
 public:
  /// True if a combination may be tried. Called often: it should take about a microsecond.
  using Filter = std::function<bool(std::span<const std::uint32_t>)>;

  /// `lengths`: number of values of each parameter, at least one. Throws std::invalid_argument if
  /// there are more than 2^63 combinations, or no parameter.
  explicit SearchSpace(std::vector<std::uint32_t> lengths, Filter filter = nullptr);

  std::size_t parameters() const noexcept { return lengths_.size(); }
  std::uint32_t values(std::size_t parameter) const { return lengths_[parameter]; }
  /// Number of all combinations, regardless of the filter.
  std::uint64_t combinations() const noexcept { return combinations_; }

  bool contains(std::span<const std::uint32_t> configuration) const;
  /// Number of a configuration; the last parameter varies fastest.
  std::uint64_t number_of(std::span<const std::uint32_t> configuration) const;
  Configuration at(std::uint64_t number) const;

  /// A configuration that passes the filter, uniformly distributed if most pass; std::nullopt if
  /// none passes.
  std::optional<Configuration> random(SearchRandom& random) const;
  /// The first configuration from `number` on, wrapping around, that passes the filter and is
  /// `wanted`.
  std::optional<Configuration> next(std::uint64_t number,
                                    const std::function<bool(std::uint64_t)>& wanted) const;
  /// Configurations that pass the filter and differ in one parameter.
  std::vector<Configuration> neighbours(const Configuration& configuration) const;

 private:
  std::vector<std::uint32_t> lengths_;
  Filter filter_;
  std::uint64_t combinations_ = 1;
};

}  // namespace kernelbatch
