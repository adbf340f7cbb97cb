// CUDA's 8-bit floats for kernels on the host: e4m3, e5m2, the scale factors e8m0, and vectors.
// Asked for by: __nv_fp8* __nv_cvt_* __NV_E4M3 __NV_E5M2 __NV_SATFINITE __NV_NOSAT.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "kernelbatch/host_vectors.hpp"

#ifndef __KERNELBATCH_ROUND_MODES
#define __KERNELBATCH_ROUND_MODES
enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };
#endif

using __nv_fp8_storage_t = unsigned char;
using __nv_fp8x2_storage_t = unsigned short;
using __nv_fp8x4_storage_t = unsigned;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

namespace kernelbatch {
namespace detail {

using format_e4m3 = float_format<4, -9, 0x7full>;  // 0x7f is NaN: there is no infinity
using format_e5m2 = float_format<3, -16, 0x7cull>;

/// As a GPU converts: doubles by code that keeps a NaN's sign, others by an instruction that does
/// not.
inline unsigned char fp8_of(double value, __nv_saturation_t saturate,
                            __nv_fp8_interpretation_t kind, bool is_double = false) {
  const bool is_e4m3 = kind == __NV_E4M3;
  if (value != value) {
    if (!is_double) return 0x7f;
    const auto whole = __builtin_bit_cast(unsigned long long, value);
    const unsigned size = is_e4m3 ? 0x7fu : 0x7eu | static_cast<unsigned>(whole >> 50 & 3u);
    return static_cast<unsigned char>(size | (whole >> 63) << 7);
  }
  unsigned bits = is_e4m3 ? narrowed_bits<format_e4m3, 8>(value, Rounding::kNearest, 0x7fu)
                          : narrowed_bits<format_e5m2, 8>(value, Rounding::kNearest, 0x7fu);
  const unsigned infinity = is_e4m3 ? 0x7fu : 0x7cu;
  if (saturate == __NV_SATFINITE && (bits & 0x7fu) == infinity) --bits;
  return static_cast<unsigned char>(bits);
}
inline unsigned short half_bits_of_fp8(unsigned char bits, __nv_fp8_interpretation_t kind) {
  if (kind == __NV_E5M2)
    return (bits & 0x7fu) > 0x7cu ? static_cast<unsigned short>(0x7fff)
                                  : static_cast<unsigned short>(bits << 8);
  if ((bits & 0x7fu) == 0x7fu) return 0x7fff;
  const unsigned exponent = (bits >> 3) & 15u, mantissa = bits & 7u;
  const float size = exponent == 0 ? static_cast<float>(mantissa) * 0x1p-9f
                                   : bits_float(((exponent + 120u) << 23) | (mantissa << 20));
  return float_to_half(bits & 0x80u ? -size : size);
}
/// The power of two below (or above) the size of a value.
inline unsigned char e8m0_of(double value, __nv_saturation_t saturate, cudaRoundMode mode) {
  if (value != value) return 0xff;
  const unsigned long long bits =
      __builtin_bit_cast(unsigned long long, value) & 0x7fffffffffffffffull;
  int exponent = static_cast<int>(bits >> 52) - 1023 + 127;
  if (mode == cudaRoundPosInf && (bits & 0xfffffffffffffull) != 0) ++exponent;
  if (exponent < 0) return 0;
  if (exponent > 254)
    return saturate == __NV_NOSAT && (mode == cudaRoundPosInf || __builtin_isinf(value)) ? 0xff
                                                                                         : 0xfe;
  return static_cast<unsigned char>(exponent);
}

}  // namespace detail
}  // namespace kernelbatch

inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                 __nv_fp8_interpretation_t kind) {
  return kernelbatch::detail::fp8_of(x, saturate, kind, true);
}
inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                                __nv_fp8_interpretation_t kind) {
  return kernelbatch::detail::fp8_of(x, saturate, kind);
}
inline __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
                                                  __nv_fp8_interpretation_t kind) {
  return kernelbatch::detail::fp8_of(__half2float(x), saturate, kind);
}
inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x,
                                                      __nv_saturation_t saturate,
                                                      __nv_fp8_interpretation_t kind) {
  return kernelbatch::detail::fp8_of(__bfloat162float(x), saturate, kind);
}
inline __nv_fp8_storage_t __nv_cvt_float_to_e8m0(float x, __nv_saturation_t saturate,
                                                 cudaRoundMode mode) {
  return kernelbatch::detail::e8m0_of(x, saturate, mode);
}
inline __nv_fp8_storage_t __nv_cvt_double_to_e8m0(double x, __nv_saturation_t saturate,
                                                  cudaRoundMode mode) {
  return kernelbatch::detail::e8m0_of(x, saturate, mode);
}
inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw x,
                                                       __nv_saturation_t saturate,
                                                       cudaRoundMode mode) {
  return kernelbatch::detail::e8m0_of(__bfloat162float(x), saturate, mode);
}
#define KERNELBATCH_FP8_PAIR(name, Pair, single, Kind)                              \
  inline __nv_fp8x2_storage_t name(Pair v, __nv_saturation_t saturate, Kind kind) { \
    return static_cast<__nv_fp8x2_storage_t>(single(v.x, saturate, kind) |          \
                                             single(v.y, saturate, kind) << 8);     \
  }
KERNELBATCH_FP8_PAIR(__nv_cvt_double2_to_fp8x2, double2, __nv_cvt_double_to_fp8,
                     __nv_fp8_interpretation_t)
KERNELBATCH_FP8_PAIR(__nv_cvt_float2_to_fp8x2, float2, __nv_cvt_float_to_fp8,
                     __nv_fp8_interpretation_t)
KERNELBATCH_FP8_PAIR(__nv_cvt_double2_to_e8m0x2, double2, __nv_cvt_double_to_e8m0, cudaRoundMode)
KERNELBATCH_FP8_PAIR(__nv_cvt_float2_to_e8m0x2, float2, __nv_cvt_float_to_e8m0, cudaRoundMode)
#undef KERNELBATCH_FP8_PAIR
inline __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw v, __nv_saturation_t saturate,
                                                       __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float2_to_fp8x2(__half22float2(v), saturate, kind);
}
inline __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw v,
                                                           __nv_saturation_t saturate,
                                                           __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float2_to_fp8x2(__bfloat1622float2(v), saturate, kind);
}
inline __nv_fp8x2_storage_t __nv_cvt_bfloat162raw_to_e8m0x2(__nv_bfloat162_raw v,
                                                            __nv_saturation_t saturate,
                                                            cudaRoundMode mode) {
  return __nv_cvt_float2_to_e8m0x2(__bfloat1622float2(v), saturate, mode);
}
inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  return {kernelbatch::detail::half_bits_of_fp8(x, kind)};
}
inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t v,
                                              __nv_fp8_interpretation_t kind) {
  return {kernelbatch::detail::half_bits_of_fp8(static_cast<unsigned char>(v), kind),
          kernelbatch::detail::half_bits_of_fp8(static_cast<unsigned char>(v >> 8), kind)};
}
inline __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t x) {
  return {x == 0xff ? static_cast<unsigned short>(0x7fff)
          : x == 0  ? static_cast<unsigned short>(0x0040)
                    : static_cast<unsigned short>(x << 7)};
}
inline __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(__nv_fp8x2_storage_t v) {
  return {__nv_cvt_e8m0_to_bf16raw(static_cast<unsigned char>(v)).x,
          __nv_cvt_e8m0_to_bf16raw(static_cast<unsigned char>(v >> 8)).x};
}

// ---- the types ----------------------------------------------------------------------------------

#define KERNELBATCH_FP8(Name, Pair, Four, encode, decode)                                     \
  struct Name {                                                                               \
    __nv_fp8_storage_t __x;                                                                   \
    Name() = default;                                                                         \
    explicit Name(float value) : __x(encode(value)) {}                                        \
    explicit Name(double value) : __x(encode(value)) {}                                       \
    explicit Name(__half value) : Name(__half2float(value)) {}                                \
    explicit Name(__nv_bfloat16 value) : Name(__bfloat162float(value)) {}                     \
    explicit Name(short value) : Name(static_cast<float>(value)) {}                           \
    explicit Name(unsigned short value) : Name(static_cast<float>(value)) {}                  \
    explicit Name(int value) : Name(static_cast<float>(value)) {}                             \
    explicit Name(unsigned value) : Name(static_cast<float>(value)) {}                        \
    explicit Name(long value) : Name(static_cast<float>(value)) {}                            \
    explicit Name(unsigned long value) : Name(static_cast<float>(value)) {}                   \
    explicit Name(long long value) : Name(static_cast<float>(value)) {}                       \
    explicit Name(unsigned long long value) : Name(static_cast<float>(value)) {}              \
    explicit operator float() const { return decode(__x); }                                   \
    explicit operator double() const { return decode(__x); }                                  \
    explicit operator __half() const { return __float2half(decode(__x)); }                    \
    explicit operator __nv_bfloat16() const { return __float2bfloat16(decode(__x)); }         \
    explicit operator bool() const { return decode(__x) != 0; }                               \
    template <class T>                                                                        \
    requires(kernelbatch::detail::is_integer<T>::value) explicit operator T() const {         \
      return kernelbatch::detail::saturated_integer<T>(decode(__x),                           \
                                                       kernelbatch::detail::Rounding::kZero); \
    }                                                                                         \
  };                                                                                          \
  struct alignas(2) Pair {                                                                    \
    __nv_fp8x2_storage_t __x;                                                                 \
    Pair() = default;                                                                         \
    explicit Pair(float2 v)                                                                   \
        : __x(static_cast<__nv_fp8x2_storage_t>(encode(v.x) | encode(v.y) << 8)) {}           \
    explicit Pair(double2 v)                                                                  \
        : __x(static_cast<__nv_fp8x2_storage_t>(encode(v.x) | encode(v.y) << 8)) {}           \
    explicit Pair(__half2 v) : Pair(__half22float2(v)) {}                                     \
    explicit Pair(__nv_bfloat162 v) : Pair(__bfloat1622float2(v)) {}                          \
    explicit operator float2() const {                                                        \
      return {decode(static_cast<unsigned char>(__x)),                                        \
              decode(static_cast<unsigned char>(__x >> 8))};                                  \
    }                                                                                         \
    explicit operator __half2() const { return __float22half2_rn(float2(*this)); }            \
    explicit operator __nv_bfloat162() const { return __float22bfloat162_rn(float2(*this)); } \
  };                                                                                          \
  struct alignas(4) Four {                                                                    \
    __nv_fp8x4_storage_t __x;                                                                 \
    Four() = default;                                                                         \
    explicit Four(float4 v) : Four(Pair(float2{v.x, v.y}), Pair(float2{v.z, v.w})) {}         \
    explicit Four(double4 v) : Four(Pair(double2{v.x, v.y}), Pair(double2{v.z, v.w})) {}      \
    explicit Four(double4_16a v) : Four(Pair(double2{v.x, v.y}), Pair(double2{v.z, v.w})) {}  \
    explicit Four(double4_32a v) : Four(Pair(double2{v.x, v.y}), Pair(double2{v.z, v.w})) {}  \
    explicit Four(__half2 low, __half2 high) : Four(Pair(low), Pair(high)) {}                 \
    explicit Four(__nv_bfloat162 low, __nv_bfloat162 high) : Four(Pair(low), Pair(high)) {}   \
    explicit operator float4() const {                                                        \
      return {decode(static_cast<unsigned char>(__x)),                                        \
              decode(static_cast<unsigned char>(__x >> 8)),                                   \
              decode(static_cast<unsigned char>(__x >> 16)),                                  \
              decode(static_cast<unsigned char>(__x >> 24))};                                 \
    }                                                                                         \
                                                                                              \
   private:                                                                                   \
    Four(Pair low, Pair high) : __x(static_cast<unsigned>(high.__x) << 16 | low.__x) {}       \
  };
#define KERNELBATCH_ENCODE(name, kind)                                                         \
  inline unsigned char name##_of(double value) { return fp8_of(value, __NV_SATFINITE, kind); } \
  inline float from_##name(unsigned char bits) {                                               \
    return half_to_float(half_bits_of_fp8(bits, kind));                                        \
  }
namespace kernelbatch {
namespace detail {
KERNELBATCH_ENCODE(e4m3, __NV_E4M3)
KERNELBATCH_ENCODE(e5m2, __NV_E5M2)
inline unsigned char scale_of(double value) {
  return e8m0_of(value, __NV_SATFINITE, cudaRoundPosInf);
}
inline float from_scale(unsigned char bits) {
  return bits_float(static_cast<unsigned>(__nv_cvt_e8m0_to_bf16raw(bits).x) << 16);
}
}  // namespace detail
}  // namespace kernelbatch
#undef KERNELBATCH_ENCODE
KERNELBATCH_FP8(__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3, kernelbatch::detail::e4m3_of,
                kernelbatch::detail::from_e4m3)
KERNELBATCH_FP8(__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2, kernelbatch::detail::e5m2_of,
                kernelbatch::detail::from_e5m2)
KERNELBATCH_FP8(__nv_fp8_e8m0, __nv_fp8x2_e8m0, __nv_fp8x4_e8m0, kernelbatch::detail::scale_of,
                kernelbatch::detail::from_scale)
#undef KERNELBATCH_FP8
