// Rounding of exact values to floats of any format, for kernels on the host: what the headers of
// casts and of short floats stand on.
#pragma once

namespace kernelbatch {
namespace detail {

enum class Rounding { kNearest, kZero, kUp, kDown };

/// A format by its bits of precision, the exponent of its least denormal, and its infinity.
template <int Precision, int Least, unsigned long long Infinity>
struct float_format {
  static constexpr int precision = Precision, least = Least;
  static constexpr unsigned long long infinity = Infinity;
};
using format_double = float_format<53, -1074, 0x7ff0000000000000ull>;
using format_float = float_format<24, -149, 0x7f800000ull>;
using format_half = float_format<11, -24, 0x7c00ull>;
using format_bfloat = float_format<8, -133, 0x7f80ull>;

/// The bits, without the sign, of `size` × 2^exponent rounded to a format.
template <class Format>
inline unsigned long long rounded_bits(bool negative, unsigned long long size, int exponent,
                                       Rounding mode) {
  if (size == 0) return 0;
  const int top = 63 - __builtin_clzll(size) + exponent;
  int last = top - (Format::precision - 1);
  if (last < Format::least) last = Format::least;
  const int shift = last - exponent;
  unsigned long long kept = 0;
  bool half = false, rest = false;
  if (shift <= 0) {
    kept = size << -shift;
  } else if (shift > 64) {
    rest = true;
  } else {
    kept = shift == 64 ? 0 : size >> shift;
    half = ((size >> (shift - 1)) & 1u) != 0;
    rest = (size & ((1ull << (shift - 1)) - 1)) != 0;
  }
  const bool is_inexact = half || rest;
  const bool away = mode == Rounding::kNearest ? half && (rest || (kept & 1u) != 0)
                    : mode == Rounding::kUp    ? is_inexact && !negative
                    : mode == Rounding::kDown  ? is_inexact && negative
                                               : false;
  const unsigned long long bits =
      (static_cast<unsigned long long>(last - Format::least) << (Format::precision - 1)) + kept +
      (away ? 1 : 0);
  if (bits < Format::infinity) return bits;
  const bool to_infinity =
      mode == Rounding::kNearest || mode == (negative ? Rounding::kDown : Rounding::kUp);
  return to_infinity ? Format::infinity : Format::infinity - 1;
}

/// The bits, with the sign, of a double rounded to a format of 16 or 32 bits. NaN becomes `nan`.
template <class Format, int Width>
inline unsigned narrowed_bits(double value, Rounding mode, unsigned nan) {
  const unsigned long long bits = __builtin_bit_cast(unsigned long long, value);
  const unsigned long long size = bits & 0x7fffffffffffffffull;
  const bool negative = bits >> 63 != 0;
  const unsigned sign = negative ? 1u << (Width - 1) : 0u;
  if (size > 0x7ff0000000000000ull) return nan;
  if (size == 0x7ff0000000000000ull) return sign | static_cast<unsigned>(Format::infinity);
  const int field = static_cast<int>(size >> 52);
  const unsigned long long mantissa = size & 0xfffffffffffffull;
  return sign | static_cast<unsigned>(
                    rounded_bits<Format>(negative, field == 0 ? mantissa : mantissa | (1ull << 52),
                                         field == 0 ? -1074 : field - 1075, mode));
}

/// An integer rounded to a format: bits with the sign, in a word of `Width` bits.
template <class Format, int Width, class T>
inline unsigned long long integer_bits(T value, Rounding mode) {
  const bool negative = value < T(0);
  const auto bits = static_cast<unsigned long long>(value);
  const unsigned long long size =
      rounded_bits<Format>(negative, negative ? 0 - bits : bits, 0, mode);
  return negative ? size | 1ull << (Width - 1) : size;
}

/// A float rounded to an integer, saturated. NaN becomes what a GPU makes of it.
template <class T, class F>
inline T saturated_integer(F value, Rounding mode) {
  constexpr int kBits = 8 * sizeof(T);
  constexpr bool kSigned = T(-1) < T(0);
  constexpr unsigned long long kTop = 1ull << (kBits - 1);
  constexpr T kMost = kSigned ? static_cast<T>(kTop - 1) : static_cast<T>(kTop - 1 + kTop);
  constexpr T kLeast = kSigned ? static_cast<T>(kTop) : T(0);
  if (value != value) return sizeof(F) == 8 || kBits == 64 ? static_cast<T>(kTop) : T(0);
  F whole;
  if constexpr (sizeof(F) == 4)
    whole = mode == Rounding::kNearest ? __builtin_rintf(value)
            : mode == Rounding::kZero  ? __builtin_truncf(value)
            : mode == Rounding::kUp    ? __builtin_ceilf(value)
                                       : __builtin_floorf(value);
  else
    whole = mode == Rounding::kNearest ? __builtin_rint(value)
            : mode == Rounding::kZero  ? __builtin_trunc(value)
            : mode == Rounding::kUp    ? __builtin_ceil(value)
                                       : __builtin_floor(value);
  const F limit = static_cast<F>(kTop) * (kSigned ? F(1) : F(2));
  if (whole >= limit) return kMost;
  if (whole <= (kSigned ? -limit : F(0))) return kLeast;
  return static_cast<T>(whole);
}

}  // namespace detail
}  // namespace kernelbatch
