// Arithmetic of schedules: counts of blocks, threads and elements.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace kernelbatch {

/// Blocks along x of the largest grid.
constexpr std::int64_t kMostBlocks = (std::int64_t{1} << 31) - 1;

constexpr std::int64_t ceil_divide(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Smallest power of two that is at least `value`, at most `limit` (a power of two).
constexpr int power_of_two(std::int64_t value, int limit = 1 << 30) {
  if (value >= limit) return limit;
  return static_cast<int>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(value, 1))));
}

}  // namespace kernelbatch
