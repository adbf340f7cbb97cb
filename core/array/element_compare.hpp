// Comparison of single elements, for compare().
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/array/dtype.hpp"
#include "core/base/reduced_float.hpp"

namespace kernelbatch::element {

/// Maps floating-point numbers to integers such that neighbours differ by one.
inline std::int64_t ordinal(float value) {
  const auto bits = std::bit_cast<std::int32_t>(value);
  return bits < 0 ? -static_cast<std::int64_t>(bits & 0x7fffffff) : bits;
}
inline std::int64_t ordinal(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value);
  return bits < 0 ? -(bits & 0x7fffffffffffffff) : bits;
}
template <ReducedFloat T>
std::int64_t ordinal(T value) {
  const std::int64_t modulus = value.bits & (kSignBit<T> - 1);
  return (value.bits & kSignBit<T>) != 0 ? -modulus : modulus;
}

/// |a − b| of integers: subtracted as integers, since doubles lose differences beyond 2^53.
template <class Integer>
double distance(Integer a, Integer b) {
  const auto [low, high] = std::minmax(a, b);
  return static_cast<double>(static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low));
}

template <class T>
double distance_ulp(T got, T want) {
  if constexpr (ReducedFloat<T> || std::is_floating_point_v<T>)
    return distance(ordinal(got), ordinal(want));
  else
    return distance(got, want);
}

template <class T>
requires std::is_arithmetic_v<T>
bool is_same(T a, T b) { return a == b; }
template <ReducedFloat T>
bool is_same(T a, T b) {
  return a.bits == b.bits;
}

template <ReducedFloat T>
double number(T value) {
  return static_cast<double>(to_float(value));
}
template <class T>
requires std::is_arithmetic_v<T>
double number(T value) { return static_cast<double>(value); }

/// The modulus. Several times faster than hypot() unless squares overflow or underflow.
inline double modulus_of(double real, double imag) {
  const double square = real * real + imag * imag;
  return square > 1e-280 && square < 1e280 ? std::sqrt(square) : std::hypot(real, imag);
}

/// True if an element's bytes are this pattern.
template <class T>
bool holds(const T& value, std::uint32_t pattern) {
  std::byte bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  for (std::size_t k = 0; k < sizeof(T); ++k)
    if (bytes[k] != static_cast<std::byte>(pattern >> (8 * (k % sizeof pattern)))) return false;
  return true;
}

/// The sentinel is a NaN: an unwritten element matches no other NaN.
template <class T>
bool is_unwritten(const T& got, const T& want) {
  const std::uint32_t sentinel = info(kDTypeOf<T>).sentinel;
  return holds(got, sentinel) && !holds(want, sentinel);
}

}  // namespace kernelbatch::element
