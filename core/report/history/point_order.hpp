// In which order runs stand: by time, and by a list of commits where clocks cannot be trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernelbatch::history {

/// A run's start, and the place of its commit in the list; -1 where that has it not.
struct Moment {
  std::int64_t start_ns = -1, rank = -1;
};

/// Indices of the moments in their order. Those with a rank change places among themselves until
/// their ranks ascend, and their times within one rank; the others keep their place by time.
std::vector<std::size_t> order_of_moments(std::span<const Moment> moments);

/// Place of a commit in a list, each a hash or the beginning of one of at least four letters; -1
/// where it is not there.
std::int64_t rank_of_commit(std::string_view commit, std::span<const std::string> commits);

/// Whether one is the beginning of the other, of at least four letters.
bool is_same_commit(std::string_view a, std::string_view b);

}  // namespace kernelbatch::history
