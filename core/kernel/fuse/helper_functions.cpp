#include "core/kernel/fuse/helper_functions.hpp"

#include <array>
#include <vector>

namespace kernelbatch {
namespace {

/// Overloads of one name; `T(0.5) != T(0)` is true for real types and false for integers.
struct Helper {
  std::string_view name, text;
};

/// A function precedes its callers.
constexpr std::array<Helper, 29> kHelpers{{
    {"_maximum(", R"(
template <class T> KERNELBATCH_INLINE T _maximum(T a, T b) { return a != a ? a : b != b ? b : a < b ? b : a; }
KERNELBATCH_INLINE float _maximum(float a, float b) { return kernelbatch::larger_or_nan(a, b); }
KERNELBATCH_INLINE double _maximum(double a, double b) { return a < b || b != b ? b : a; }
)"},
    {"_minimum(", R"(
template <class T> KERNELBATCH_INLINE T _minimum(T a, T b) { return a != a ? a : b != b ? b : b < a ? b : a; }
KERNELBATCH_INLINE float _minimum(float a, float b) { return kernelbatch::smaller_or_nan(a, b); }
KERNELBATCH_INLINE double _minimum(double a, double b) { return b < a || b != b ? b : a; }
)"},
    {"_absolute(", R"(
template <class T> KERNELBATCH_INLINE T _absolute(T a) {
  return a < T(0) ? static_cast<T>(0ull - static_cast<unsigned long long>(a)) : a;
}
KERNELBATCH_INLINE float _absolute(float a) { return fabsf(a); }
KERNELBATCH_INLINE double _absolute(double a) { return fabs(a); }
template <class T> KERNELBATCH_INLINE T _absolute(complex<T> a) { return abs(a); }
)"},
    {"_sign(", R"(
template <class T> KERNELBATCH_INLINE T _sign(T a) {
  return a != a ? a : static_cast<T>((a > T(0) ? 1 : 0) - (a < T(0) ? 1 : 0));
}
template <class T> KERNELBATCH_INLINE complex<T> _sign(complex<T> a) {
  const T size = abs(a);
  return size == T(0) ? complex<T>(T(0)) : complex<T>(a.re / size, a.im / size);
}
)"},
    {"_real(", R"(
template <class T> KERNELBATCH_INLINE T _real(T a) { return a; }
template <class T> KERNELBATCH_INLINE T _real(complex<T> a) { return a.re; }
)"},
    {"_imag(", R"(
template <class T> KERNELBATCH_INLINE T _imag(T) { return T(0); }
template <class T> KERNELBATCH_INLINE T _imag(complex<T> a) { return a.im; }
)"},
    {"_angle(", R"(
template <class T> KERNELBATCH_INLINE T _angle(T a) { return atan2(T(0), a); }
template <class T> KERNELBATCH_INLINE T _angle(complex<T> a) { return atan2(a.im, a.re); }
)"},
    {"_conj(", R"(
template <class T> KERNELBATCH_INLINE T _conj(T a) { return a; }
template <class T> KERNELBATCH_INLINE complex<T> _conj(complex<T> a) { return {a.re, -a.im}; }
)"},
    {"_isnan(", R"(
template <class T> KERNELBATCH_INLINE bool _isnan(T a) { return isnan(a); }
template <class T> KERNELBATCH_INLINE bool _isnan(complex<T> a) { return isnan(a.re) || isnan(a.im); }
)"},
    {"_isinf(", R"(
template <class T> KERNELBATCH_INLINE bool _isinf(T a) { return isinf(a); }
template <class T> KERNELBATCH_INLINE bool _isinf(complex<T> a) { return isinf(a.re) || isinf(a.im); }
)"},
    {"_isfinite(", R"(
template <class T> KERNELBATCH_INLINE bool _isfinite(T a) { return isfinite(a); }
template <class T> KERNELBATCH_INLINE bool _isfinite(complex<T> a) { return isfinite(a.re) && isfinite(a.im); }
)"},
    {"_invert(", R"(
template <class T> KERNELBATCH_INLINE T _invert(T a) { return static_cast<T>(~a); }
KERNELBATCH_INLINE bool _invert(bool a) { return !a; }
)"},
    {"_deg2rad(", R"(
template <class T> KERNELBATCH_INLINE T _deg2rad(T a) { return a * T(3.14159265358979323846 / 180); }
)"},
    {"_rad2deg(", R"(
template <class T> KERNELBATCH_INLINE T _rad2deg(T a) { return a * T(180 / 3.14159265358979323846); }
)"},
    {"_order(", R"(
KERNELBATCH_INLINE int _order(long long a, unsigned long long b) {
  return a < 0 || static_cast<unsigned long long>(a) < b ? -1 : static_cast<unsigned long long>(a) > b;
}
)"},
    {"_left_shift(", R"(
template <class T> KERNELBATCH_INLINE T _left_shift(T a, T by) {
  if (by < T(0) || by >= T(8 * sizeof(T))) return T(0);
  if constexpr (sizeof(T) <= 4) return static_cast<T>(static_cast<unsigned>(a) << static_cast<unsigned>(by));
  return static_cast<T>(static_cast<unsigned long long>(a) << static_cast<unsigned>(by));
}
)"},
    {"_right_shift(", R"(
template <class T> KERNELBATCH_INLINE T _right_shift(T a, T by) {
  if (by < T(0) || by >= T(8 * sizeof(T))) return a < T(0) ? static_cast<T>(-1) : T(0);
  return static_cast<T>(a >> by);
}
)"},
    {"_floor_divide(", R"(
template <class T> KERNELBATCH_INLINE T _floor_divide(T a, T b) {
  if constexpr (T(0.5) != T(0)) {
    if (b == T(0)) return a / b;
    const T rest = fmod(a, b);
    T quotient = (a - rest) / b;
    if (rest != T(0) && ((rest < T(0)) != (b < T(0)))) quotient -= T(1);
    if (quotient == T(0)) return copysign(T(0), a / b);
    const T down = floor(quotient);
    return quotient - down > T(0.5) ? down + T(1) : down;
  } else {
    if (b == T(0)) return T(0);
    // The least number has no counterpart, and dividing it by -1 traps.
    if (static_cast<T>(-1) < T(0) && b == static_cast<T>(-1))
      return static_cast<T>(0ull - static_cast<unsigned long long>(a));
    const T quotient = static_cast<T>(a / b);
    return (a % b != T(0) && ((a < T(0)) != (b < T(0)))) ? static_cast<T>(quotient - T(1)) : quotient;
  }
}
)"},
    {"_remainder(", R"(
template <class T> KERNELBATCH_INLINE T _remainder(T a, T b) {
  if constexpr (T(0.5) != T(0)) {
    const T rest = fmod(a, b);
    if (b == T(0)) return rest;
    if (rest == T(0)) return copysign(T(0), b);
    return ((rest < T(0)) != (b < T(0))) ? rest + b : rest;
  } else {
    if (b == T(0) || (static_cast<T>(-1) < T(0) && b == static_cast<T>(-1))) return T(0);
    const T rest = static_cast<T>(a % b);
    return (rest != T(0) && ((rest < T(0)) != (b < T(0)))) ? static_cast<T>(rest + b) : rest;
  }
}
)"},
    {"_fmod(", R"(
template <class T> KERNELBATCH_INLINE T _fmod(T a, T b) {
  if constexpr (T(0.5) != T(0)) return fmod(a, b);
  else return b == T(0) || (static_cast<T>(-1) < T(0) && b == static_cast<T>(-1)) ? T(0) : static_cast<T>(a % b);
}
)"},
    {"_logaddexp(", R"(
template <class T> KERNELBATCH_INLINE T _logaddexp(T a, T b) {
  if (a == b) return a + T(0.69314718055994530942);  // two equal infinities, too
  const T gap = a - b;
  return gap > T(0) ? a + log1p(exp(-gap)) : gap <= T(0) ? b + log1p(exp(gap)) : gap;
}
)"},
    {"_rough_exp(", R"(
// 18 bits. Results too small for a normal number are zero: half of the instructions.
KERNELBATCH_INLINE float _rough_exp(float a) {
#ifdef KERNELBATCH_ON_CUDA
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(a * 1.4426950408889634f));
  return result;
#else
  return __expf(a);
#endif
}
)"},
    {"_rough_tanh(", R"(
// 15 bits: near zero, where the exponential would cancel, it is the argument.
KERNELBATCH_INLINE float _rough_tanh(float a) {
  const float far = 1.0f - __fdividef(2.0f, __expf(2.0f * a) + 1.0f);
  return fabsf(a) < 0.008f ? a : far;
}
)"},
    {"_finite(", R"(
// The maximum that exponents are relative to. Sums with an infinite maximum are not used.
template <class T> KERNELBATCH_INLINE T _finite(T maximum) { return isinf(maximum) ? T(0) : maximum; }
)"},
    {"_online_sum(", R"(
// An infinite maximum less itself is no number.
template <class T> KERNELBATCH_INLINE T _online_sum(T sum, T maximum) { return isinf(maximum) ? T(NAN) : sum; }
)"},
    {"_RowDivisor<", R"(
// Divisor of all elements of a row. Scaled if it or its reciprocal would lose bits.
template <class T> struct _RowDivisor {
  T value, scale, reciprocal;
  KERNELBATCH_INLINE explicit _RowDivisor(T divisor) : scale(T(1)) {
    const T size = divisor < T(0) ? -divisor : divisor;
    const bool is_float = sizeof(T) == 4;
    const T small = is_float ? T(1e-30f) : T(1e-250), up = is_float ? T(0x1p64f) : T(0x1p512);
    if (size < small) scale = up;
    if (size > T(1) / small) scale = T(1) / up;
    value = divisor * scale;
    reciprocal = T(1) / value;
  }
};
)"},
    {"_quotient(", R"(
// a / d, correctly rounded unless the result is near the smallest numbers.
template <class T> KERNELBATCH_INLINE T _quotient(T a, const _RowDivisor<T>& d) {
  const T scaled = a * d.scale, near = scaled * d.reciprocal;
  const T rounded = fma(fma(-near, d.value, scaled), d.reciprocal, near);
  return fabs(rounded) < T(INFINITY) ? rounded : near;
}
)"},
    {"_rough_quotient(", R"(
template <class T> KERNELBATCH_INLINE T _rough_quotient(T a, const _RowDivisor<T>& d) {
  return a * d.scale * d.reciprocal;
}
)"},
    {"_power(", R"(
template <class U, class T> KERNELBATCH_INLINE T _whole_power(T a, T b) {
  if (b < T(0)) return a == T(1) ? T(1) : a != static_cast<T>(-1) ? T(0) : b % T(2) == T(0) ? T(1) : a;
  U result = 1, factor = static_cast<U>(a);
  for (U left = static_cast<U>(b); left != 0; left >>= 1, factor *= factor)
    if (left & 1u) result *= factor;
  return static_cast<T>(result);
}
template <class T> KERNELBATCH_INLINE T _power(T a, T b) {
  if constexpr (T(0.5) != T(0)) return pow(a, b);
  else if constexpr (sizeof(T) <= 4) return _whole_power<unsigned>(a, b);
  else return _whole_power<unsigned long long>(a, b);
}
template <class T> KERNELBATCH_INLINE complex<T> _power(complex<T> a, complex<T> b) {
  const complex<T> one(T(1)), zero(T(0));
  if (b == zero) return one;
  if (a == zero) return b.re > T(0) ? zero : zero / zero;
  const int whole = b.im == T(0) && b.re > T(-100) && b.re < T(100) ? static_cast<int>(b.re) : 0;
  if (whole != 0 && T(whole) == b.re) return pow(a, whole);
  const complex<T> exponent = b * log(a);
  return exponent.re < T(0) && isinf(exponent.re) ? zero : exp(exponent);
}
)"},
}};

}  // namespace

std::string helper_functions(std::string_view text) {
  std::string functions;
  for (const Helper& helper : kHelpers)
    if (text.find(helper.name) != std::string_view::npos) functions += helper.text;
  return functions;
}

}  // namespace kernelbatch
