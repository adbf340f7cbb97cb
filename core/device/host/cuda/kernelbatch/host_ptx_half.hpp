// Asked for by: __kernelbatch_ptx_half_convert.
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
