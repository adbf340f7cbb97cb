// Conversions between numbers with a rounding of their own, and of bits, for kernels on the host.
// Asked for by: __float2int_* __float2uint_* __float2ll_* __float2ull_* __double2int_*
// __double2uint_* __double2ll_* __double2ull_* __double2float_* __double2hiint __double2loint
// __hiloint2double __int2float_* __uint2float_* __ll2float_* __ull2float_* __int2double_rn
// __uint2double_rn __ll2double_* __ull2double_*.
#pragma once

#include "kernelbatch/host_floats.hpp"

#define KERNELBATCH_TO_INTEGER(suffix, mode, from, F, to, T)                                  \
  inline T __##from##2##to##_##suffix(F x) {                                                  \
    return kernelbatch::detail::saturated_integer<T>(x, kernelbatch::detail::Rounding::mode); \
  }
#define KERNELBATCH_ROUND_TO_FLOAT(suffix, mode, from, T)                                    \
  inline float __##from##2float_##suffix(T x) {                                              \
    return __builtin_bit_cast(                                                               \
        float, static_cast<unsigned>(                                                        \
                   kernelbatch::detail::integer_bits<kernelbatch::detail::format_float, 32>( \
                       x, kernelbatch::detail::Rounding::mode)));                            \
  }
#define KERNELBATCH_ROUND_TO_DOUBLE(suffix, mode, from, T)                                 \
  inline double __##from##2double_##suffix(T x) {                                          \
    return __builtin_bit_cast(                                                             \
        double, kernelbatch::detail::integer_bits<kernelbatch::detail::format_double, 64>( \
                    x, kernelbatch::detail::Rounding::mode));                              \
  }
#define KERNELBATCH_CASTS(suffix, mode)                                                   \
  KERNELBATCH_TO_INTEGER(suffix, mode, float, float, int, int)                            \
  KERNELBATCH_TO_INTEGER(suffix, mode, float, float, uint, unsigned)                      \
  KERNELBATCH_TO_INTEGER(suffix, mode, float, float, ll, long long)                       \
  KERNELBATCH_TO_INTEGER(suffix, mode, float, float, ull, unsigned long long)             \
  KERNELBATCH_TO_INTEGER(suffix, mode, double, double, int, int)                          \
  KERNELBATCH_TO_INTEGER(suffix, mode, double, double, uint, unsigned)                    \
  KERNELBATCH_TO_INTEGER(suffix, mode, double, double, ll, long long)                     \
  KERNELBATCH_TO_INTEGER(suffix, mode, double, double, ull, unsigned long long)           \
  KERNELBATCH_ROUND_TO_FLOAT(suffix, mode, int, int)                                      \
  KERNELBATCH_ROUND_TO_FLOAT(suffix, mode, uint, unsigned)                                \
  KERNELBATCH_ROUND_TO_FLOAT(suffix, mode, ll, long long)                                 \
  KERNELBATCH_ROUND_TO_FLOAT(suffix, mode, ull, unsigned long long)                       \
  KERNELBATCH_ROUND_TO_DOUBLE(suffix, mode, ll, long long)                                \
  KERNELBATCH_ROUND_TO_DOUBLE(suffix, mode, ull, unsigned long long)                      \
  inline float __double2float_##suffix(double x) {                                        \
    return __builtin_bit_cast(                                                            \
        float, kernelbatch::detail::narrowed_bits<kernelbatch::detail::format_float, 32>( \
                   x, kernelbatch::detail::Rounding::mode, 0x7fffffffu));                 \
  }
KERNELBATCH_CASTS(rn, kNearest)
KERNELBATCH_CASTS(rz, kZero)
KERNELBATCH_CASTS(ru, kUp)
KERNELBATCH_CASTS(rd, kDown)
#undef KERNELBATCH_CASTS
#undef KERNELBATCH_TO_INTEGER
#undef KERNELBATCH_ROUND_TO_FLOAT
#undef KERNELBATCH_ROUND_TO_DOUBLE

inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned x) { return x; }
inline int __double2hiint(double x) {
  return static_cast<int>(__builtin_bit_cast(unsigned long long, x) >> 32);
}
inline int __double2loint(double x) {
  return static_cast<int>(__builtin_bit_cast(unsigned long long, x));
}
inline double __hiloint2double(int high, int low) {
  return __builtin_bit_cast(double, static_cast<unsigned long long>(static_cast<unsigned>(high))
                                            << 32 |
                                        static_cast<unsigned>(low));
}
