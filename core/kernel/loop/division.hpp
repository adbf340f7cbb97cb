// Division by a loop-invariant number, as a multiplication and a shift.
#pragma once

#include <bit>
#include <cstdint>

namespace kernelbatch {

/// For 0 ≤ n < 2^31: n / divisor = (n · factor) >> shift, in 64 bits (T. Granlund, P. L.
/// Montgomery, 1994). With 2^(l-1) < divisor ≤ 2^l, the factor is 2^(31+l) / divisor rounded up:
/// below 2^32, and its error is too small to change any quotient in this range.
struct Division {
  std::uint32_t factor = 1u << 31, shift = 31;

  static Division by(std::uint32_t divisor) noexcept {
    const auto l = static_cast<std::uint32_t>(std::bit_width(divisor - 1));
    const std::uint64_t power = std::uint64_t{1} << (31 + l);
    return {static_cast<std::uint32_t>((power + divisor - 1) / divisor), 31 + l};
  }
  std::uint32_t of(std::uint32_t n) const noexcept {
    return static_cast<std::uint32_t>((std::uint64_t{n} * factor) >> shift);
  }
};

}  // namespace kernelbatch
