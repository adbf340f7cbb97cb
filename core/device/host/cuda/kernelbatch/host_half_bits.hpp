// What half and bfloat16 have in common, for kernels on the host: rounding to them.
#pragma once

#include "kernelbatch/host_floats.hpp"

namespace kernelbatch {
namespace detail {

/// A double as a float whose last bit says whether something was cut off: rounded once more, to few
/// bits, it gives what the double itself would.
inline float odd_float(double value) {
  const float near = static_cast<float>(value);
  if (static_cast<double>(near) == value || value != value) return near;
  unsigned bits = float_bits(near);
  if (__builtin_fabs(static_cast<double>(near)) > __builtin_fabs(value)) --bits;
  return bits_float(bits | 1u);
}

struct half_rules {
  using format = format_half;
  static constexpr unsigned short infinity = 0x7c00, nan = 0x7fff, one = 0x3c00;
  static float widen(unsigned short bits) { return half_to_float(bits); }
  static unsigned short narrow(float value) { return value != value ? nan : float_to_half(value); }
};
struct bfloat_rules {
  using format = format_bfloat;
  static constexpr unsigned short infinity = 0x7f80, nan = 0x7fff, one = 0x3f80;
  static float widen(unsigned short bits) { return bits_float(static_cast<unsigned>(bits) << 16); }
  static unsigned short narrow(float value) {
    const unsigned bits = float_bits(value);
    if (value != value) return nan;
    return static_cast<unsigned short>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
  }
};

template <class Rules>
inline unsigned short narrow(double value) {
  return Rules::narrow(odd_float(value));
}
template <class Rules>
inline unsigned short narrow(double value, Rounding mode) {
  return static_cast<unsigned short>(
      narrowed_bits<typename Rules::format, 16>(value, mode, Rules::nan));
}
/// x y + z of 16-bit floats, whose product is exact in double, rounded once.
template <class Rules>
inline unsigned short fused(double x, double y, double z) {
  const double product = x * y;
  const double sum = product + z;
  const double part = sum - product;
  const double rest = (product - (sum - part)) + (z - part);
  auto bits = __builtin_bit_cast(unsigned long long, sum);
  if (rest != 0 && rest == rest && (bits & 1u) == 0) bits += (rest > 0) == (sum > 0) ? 1 : -1ull;
  return narrow<Rules>(__builtin_bit_cast(double, bits));
}

}  // namespace detail
}  // namespace kernelbatch
