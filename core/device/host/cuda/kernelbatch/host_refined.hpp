// Functions that the C library gives with more error than CUDA documents, for kernels on the host.
// Asked for by: cbrt cbrtf rcbrt rcbrtf log10.
#pragma once

extern "C" float cbrtf(float) noexcept;

extern "C" double __kernelbatch_c_cbrt(double) noexcept __asm__("cbrt");

namespace kernelbatch {
namespace detail {

/// A cube root, and what it lacks; for sizes between 2^-900 and 2^900.
KERNELBATCH_INLINE double root3(double x, double& rest) {
  const double y = __kernelbatch_c_cbrt(x);
  const double square = y * y, square_rest = __builtin_fma(y, y, -square);
  const double cube = square * y;
  const double cube_rest = __builtin_fma(square, y, -cube) + square_rest * y;
  rest = ((x - cube) - cube_rest) / (3 * square);
  return y;
}
/// A factor that brings a number's size between these, and the inverse of its cube root.
KERNELBATCH_INLINE double root3_scale(double size, double& back) {
  back = size > 0x1p900 ? 0x1p100 : size < 0x1p-900 ? 0x1p-100 : 1;
  return size > 0x1p900 ? 0x1p-300 : size < 0x1p-900 ? 0x1p300 : 1;
}
inline double refined_root3(double x) {
  if (x == 0 || x != x || __builtin_isinf(x)) return x;
  double back, rest;
  const double scale = root3_scale(__builtin_fabs(x), back);
  const double y = root3(x * scale, rest);
  return (y + rest) * back;
}
inline double inverse_root3(double x) {
  if (x == 0 || x != x || __builtin_isinf(x)) return 1 / x;
  double back, rest;
  const double scale = root3_scale(__builtin_fabs(x), back);
  const double y = root3(x * scale, rest), inverse = 1 / y;
  return (inverse + inverse * (__builtin_fma(-inverse, y, 1.0) - inverse * rest)) / back;
}
inline double refined_log10(double x) {
  const double high = 0.30102999566398120, low = -2.8037281277851704e-18;
  const double power = __builtin_log2(x), product = power * high;
  if (power == 0 || __builtin_isinf(power)) return power;
  return product + (__builtin_fma(power, high, -product) + power * low);
}

}  // namespace detail
}  // namespace kernelbatch

#ifdef KERNELBATCH_STANDARD_HEADERS
extern "C" double cbrt(double) noexcept;
#else
KERNELBATCH_INSTEAD double cbrt(double x) noexcept { return kernelbatch::detail::refined_root3(x); }
KERNELBATCH_INSTEAD double log10(double x) noexcept {
  return kernelbatch::detail::refined_log10(x);
}
#endif
KERNELBATCH_INLINE float cbrt(float x) { return __builtin_cbrtf(x); }
template <class T>
KERNELBATCH_INLINE
    typename kernelbatch::detail::enable<kernelbatch::detail::is_integer<T>::value, double>::type
    cbrt(T x) {
  return cbrt(static_cast<double>(x));
}
inline double rcbrt(double x) { return kernelbatch::detail::inverse_root3(x); }
inline float rcbrtf(float x) { return static_cast<float>(rcbrt(static_cast<double>(x))); }
inline float rcbrt(float x) { return rcbrtf(x); }
