// What a search chooses from: every combination of parameters that a filter lets pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <vector>

namespace kernelbatch {

/// For each parameter the place of its value, from 0, in the order in which its values are given.
using Configuration = std::vector<std::uint32_t>;

using SearchRandom = std::mt19937_64;
/// From 0 up to, not including, `count` (at least 1).
std::uint64_t random_below(SearchRandom& random, std::uint64_t count);
/// From 0 up to, not including, 1.
double random_unit(SearchRandom& random);

/// Combinations are never listed: a space of 10^7 takes the memory of its parameters.
class SearchSpace {
 public:
  /// Whether a combination is one that may be tried. Called often: it should take a microsecond.
  using Filter = std::function<bool(std::span<const std::uint32_t>)>;

  /// How many values each parameter has, at least one. Throws std::invalid_argument where there are
  /// more than 2^63 combinations, or no parameter.
  explicit SearchSpace(std::vector<std::uint32_t> lengths, Filter filter = nullptr);

  std::size_t parameters() const noexcept { return lengths_.size(); }
  std::uint32_t values(std::size_t parameter) const { return lengths_[parameter]; }
  /// Of all combinations, whether or not they pass the filter.
  std::uint64_t combinations() const noexcept { return combinations_; }

  bool contains(std::span<const std::uint32_t> configuration) const;
  /// The last parameter turns fastest.
  std::uint64_t number_of(std::span<const std::uint32_t> configuration) const;
  Configuration at(std::uint64_t number) const;

  /// One that passes the filter, all as likely where most do; nullopt where none does.
  std::optional<Configuration> random(SearchRandom& random) const;
  /// The first from `number` on, around to it again, that passes the filter and is `wanted`.
  std::optional<Configuration> next(std::uint64_t number,
                                    const std::function<bool(std::uint64_t)>& wanted) const;
  /// Those that pass the filter and differ in one parameter.
  std::vector<Configuration> neighbours(const Configuration& configuration) const;

 private:
  std::vector<std::uint32_t> lengths_;
  Filter filter_;
  std::uint64_t combinations_ = 1;
};

}  // namespace kernelbatch
