// Asked for by: __kernelbatch_ptx_fp8*.
// PTX's conversions of pairs from and to 8 bits.
#pragma once

#include <cuda_fp8.h>

/// The first operand is the upper half.
template <bool IsE4m3>
inline unsigned __kernelbatch_ptx_fp8_from_floats(float high, float low, bool clamps) {
  const auto relu = [clamps](float x) { return clamps && x <= 0 ? 0.0f : x; };
  return __nv_cvt_float2_to_fp8x2(float2{relu(low), relu(high)}, __NV_SATFINITE,
                                  IsE4m3 ? __NV_E4M3 : __NV_E5M2);
}
template <bool IsE4m3>
inline unsigned __kernelbatch_ptx_fp8_from_halves(unsigned halves, bool clamps) {
  return __kernelbatch_ptx_fp8_from_floats<IsE4m3>(
      kernelbatch::detail::half_to_float(static_cast<unsigned short>(halves >> 16)),
      kernelbatch::detail::half_to_float(static_cast<unsigned short>(halves)), clamps);
}
template <bool IsE4m3>
inline unsigned __kernelbatch_ptx_fp8_to_halves(unsigned pair) {
  return __builtin_bit_cast(
      unsigned, __nv_cvt_fp8x2_to_halfraw2(static_cast<__nv_fp8x2_storage_t>(pair),
                                           IsE4m3 ? __NV_E4M3 : __NV_E5M2));
}
