// Asked for by: __kernelbatch_ptx_half_convert __kernelbatch_ptx_narrow.
// PTX's conversions from and to halves.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <class T, class S>
inline T __kernelbatch_ptx_half_convert(S a) {
  return static_cast<T>(a);
}
template <>
inline __half __kernelbatch_ptx_half_convert<__half, float>(float a) {
  return __float2half_rn(a);
}
template <>
inline __half __kernelbatch_ptx_half_convert<__half, double>(double a) {
  return __double2half(a);
}
template <>
inline float __kernelbatch_ptx_half_convert<float, __half>(__half a) {
  return __half2float(a);
}
template <>
inline double __kernelbatch_ptx_half_convert<double, __half>(__half a) {
  return __half2float(a);
}
template <>
inline __nv_bfloat16 __kernelbatch_ptx_half_convert<__nv_bfloat16, float>(float a) {
  return __float2bfloat16_rn(a);
}
template <>
inline float __kernelbatch_ptx_half_convert<float, __nv_bfloat16>(__nv_bfloat16 a) {
  return __bfloat162float(a);
}
/// cvt from float32 to T: rounds to zero or to nearest; `Clamps` makes negative numbers 0 (.relu),
/// `Saturates` infinities finite.
template <class T, bool ToZero, bool Clamps, bool Saturates>
inline T __kernelbatch_ptx_narrow(float x) {
  constexpr bool kIsHalf = __is_same(T, __half);
  if (Clamps && x <= 0) x = 0;
  T result;
  if constexpr (kIsHalf)
    result = ToZero ? __float2half_rz(x) : __float2half_rn(x);
  else
    result = ToZero ? __float2bfloat16_rz(x) : __float2bfloat16_rn(x);
  unsigned short bits = __builtin_bit_cast(unsigned short, result);
  constexpr unsigned short kInfinity = kIsHalf ? 0x7c00 : 0x7f80;
  if (Saturates && (bits & 0x7fffu) == kInfinity)
    bits = static_cast<unsigned short>((bits & 0x8000u) | (kInfinity - 1));
  if (x != x) bits = 0x7fff;
  return __builtin_bit_cast(T, bits);
}
