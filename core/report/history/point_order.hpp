// Order of runs: by time, or by a list of commits if clocks are unreliable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernelbatch::history {

/// A run's start and its commit's position in the list; -1 if not listed.
struct Moment {
  std::int64_t start_ns = -1, rank = -1;
};

/// Sorted indices of the moments. Those with a rank are sorted among themselves by rank, then by
/// time; the others keep their position by time.
std::vector<std::size_t> order_of_moments(std::span<const Moment> moments);

/// Position of a commit in a list of hashes or prefixes of at least four characters; -1 if not
/// listed.
std::int64_t rank_of_commit(std::string_view commit, std::span<const std::string> commits);

/// True if one is a prefix of the other, of at least four characters.
bool is_same_commit(std::string_view a, std::string_view b);

}  // namespace kernelbatch::history
