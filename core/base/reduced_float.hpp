// Floats with fewer bits than float: stored as bits, computed in float.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>

namespace kernelbatch {

/// IEEE binary16 and bfloat16 as plain bits on the host.
struct Float16 {
  static constexpr int kExponentBits = 5, kFractionBits = 10;
  std::uint16_t bits;
};
struct BFloat16 {
  static constexpr int kExponentBits = 8, kFractionBits = 7;
  std::uint16_t bits;
};

/// A reduced float: sign, exponent and fraction from the highest of `bits`, with the meaning of
/// IEEE 754. Every number of such a type is a float.
template <class T>
concept ReducedFloat = std::unsigned_integral<decltype(T::bits)> &&(T::kExponentBits <= 8) &&
                       (1 + T::kExponentBits + T::kFractionBits == 8 * sizeof(T));

/// The sign in `bits`; the lower bits increase with the modulus.
template <ReducedFloat T>
inline constexpr std::uint32_t kSignBit = std::uint32_t{1} << (8 * sizeof(T) - 1);

namespace detail {

/// Layout of a reduced float relative to float.
template <ReducedFloat T>
struct ReducedLayout {
  static constexpr std::uint32_t kInfinity = kSignBit<T> - (1u << T::kFractionBits);
  static constexpr std::uint32_t kLeastNormal = 1u << T::kFractionBits;
  static constexpr int kSignShift = 32 - 8 * static_cast<int>(sizeof(T));
  static constexpr int kFractionShift = 23 - T::kFractionBits;
  /// Difference of the exponent biases, in a float's position.
  static constexpr std::uint32_t kRebias = (128u - (1u << (T::kExponentBits - 1))) << 23;
  /// Spacing of subnormal numbers, as a float.
  static constexpr float kStep =
      std::bit_cast<float>(kRebias + (static_cast<std::uint32_t>(1 - T::kFractionBits) << 23));

  static constexpr T with_sign_of(std::uint32_t pattern, std::uint32_t magnitude) noexcept {
    const std::uint32_t sign = (pattern >> kSignShift) & kSignBit<T>;
    return {static_cast<decltype(T::bits)>(sign | magnitude)};
  }
};

inline constexpr std::uint32_t kFloatInfinity = 0x7f80'0000;

}  // namespace detail

/// Exact; a NaN keeps its payload and its quiet bit.
template <ReducedFloat T>
constexpr float to_float(T value) noexcept {
  using Layout = detail::ReducedLayout<T>;
  const std::uint32_t sign = (value.bits & kSignBit<T>) << Layout::kSignShift;
  const std::uint32_t magnitude = value.bits & (kSignBit<T> - 1);
  const std::uint32_t shifted = magnitude << Layout::kFractionShift;
  if (magnitude >= Layout::kInfinity)
    return std::bit_cast<float>(sign | detail::kFloatInfinity | shifted);
  if constexpr (Layout::kRebias != 0)
    if (magnitude < Layout::kLeastNormal)
      return (sign != 0 ? -1.0f : 1.0f) * (static_cast<float>(magnitude) * Layout::kStep);
  return std::bit_cast<float>(sign | (shifted + Layout::kRebias));
}

/// Rounds to nearest, ties to even. A NaN becomes quiet and keeps as much of its payload as fits.
template <ReducedFloat T>
constexpr T from_float(float value) noexcept {
  using Layout = detail::ReducedLayout<T>;
  const auto pattern = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = pattern & 0x7fff'ffffu;
  if (magnitude > detail::kFloatInfinity) {
    const std::uint32_t payload = (magnitude - detail::kFloatInfinity) >> Layout::kFractionShift;
    return Layout::with_sign_of(pattern, Layout::kInfinity | (Layout::kLeastNormal >> 1) | payload);
  }
  const auto rounded = [](std::uint32_t bits) {
    constexpr std::uint32_t kBelowHalf = (1u << (Layout::kFractionShift - 1)) - 1;
    return (bits + kBelowHalf + ((bits >> Layout::kFractionShift) & 1u)) >> Layout::kFractionShift;
  };
  if constexpr (Layout::kRebias != 0) {
    if (magnitude < Layout::kRebias + (1u << 23)) {
      // The floats from here to twice as large are spaced by one step: adding rounds to steps.
      constexpr float kFar = Layout::kStep * 0x1p23f;
      const float sum = std::bit_cast<float>(magnitude) + kFar;
      return Layout::with_sign_of(
          pattern, std::bit_cast<std::uint32_t>(sum) - std::bit_cast<std::uint32_t>(kFar));
    }
  }
  return Layout::with_sign_of(pattern,
                              std::min(rounded(magnitude - Layout::kRebias), Layout::kInfinity));
}

}  // namespace kernelbatch
