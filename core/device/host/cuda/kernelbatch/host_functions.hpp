// Functions of CUDA's mathematics that few kernels use: the C library's under their own names, and
// short ones of CUDA's own.
// Asked for by: scalbn* scalbln* ilogb* lrint* llrint* lround* llround* remquo* nan nanf umax umin
// llmax llmin ullmax ullmin labs llabs frexpf modff fdivide fdividef __saturatef __tanf __tanhf
// __exp10f __log2f __log10f __sincosf norm norm3d* norm4d* normf rnorm* rhypot* j0 j0f j1 j1f jn
// jnf y0 y0f y1 y1f yn ynf isnormal isunordered isgreater isgreaterequal isless islessequal
// islessgreater fpclassify __finite __finitef __isnan __isnanf __isinf __isinff __signbit
// __signbitf.
#pragma once

#include "kernelbatch/host_refined.hpp"

#define KERNELBATCH_FROM_C(R, name)     \
  extern "C" R name(double) noexcept;   \
  extern "C" R name##f(float) noexcept; \
  KERNELBATCH_INLINE R name(float x) { return __builtin_##name##f(x); }
KERNELBATCH_FROM_C(int, ilogb)
KERNELBATCH_FROM_C(long, lrint)
KERNELBATCH_FROM_C(long, lround)
KERNELBATCH_FROM_C(long long, llrint)
KERNELBATCH_FROM_C(long long, llround)
#undef KERNELBATCH_FROM_C
#define KERNELBATCH_OF_INTEGERS(R, name)                                                       \
  template <class T>                                                                           \
  KERNELBATCH_INLINE                                                                           \
      typename kernelbatch::detail::enable<kernelbatch::detail::is_integer<T>::value, R>::type \
      name(T x) {                                                                              \
    return name(static_cast<double>(x));                                                       \
  }
KERNELBATCH_OF_INTEGERS(int, ilogb)
KERNELBATCH_OF_INTEGERS(long, lrint)
KERNELBATCH_OF_INTEGERS(long, lround)
KERNELBATCH_OF_INTEGERS(long long, llrint)
KERNELBATCH_OF_INTEGERS(long long, llround)
#undef KERNELBATCH_OF_INTEGERS
extern "C" double scalbn(double, int) noexcept;
extern "C" float scalbnf(float, int) noexcept;
extern "C" double scalbln(double, long) noexcept;
extern "C" float scalblnf(float, long) noexcept;
#ifdef KERNELBATCH_STANDARD_HEADERS
KERNELBATCH_INLINE float remquo(float x, float y, int* part) { return remquof(x, y, part); }
#else
// The C library may give more bits of the quotient than CUDA's three.
KERNELBATCH_INLINE double remquo(double x, double y, int* part) {
  int whole = 0;
  const double rest = __builtin_remquo(x, y, &whole);
  *part = whole < 0 ? -(-whole & 7) : whole & 7;
  return rest;
}
KERNELBATCH_INLINE float remquo(float x, float y, int* part) {
  int whole = 0;
  const float rest = __builtin_remquof(x, y, &whole);
  *part = whole < 0 ? -(-whole & 7) : whole & 7;
  return rest;
}
KERNELBATCH_INLINE float remquof(float x, float y, int* part) { return remquo(x, y, part); }
#endif
extern "C" double nan(const char*) noexcept;
extern "C" float nanf(const char*) noexcept;
extern "C" float frexpf(float, int*) noexcept;
extern "C" float modff(float, float*) noexcept;
extern "C" long labs(long) noexcept;
extern "C" long long llabs(long long) noexcept;
KERNELBATCH_INLINE float scalbn(float x, int e) { return __builtin_scalbnf(x, e); }
KERNELBATCH_INLINE float scalbln(float x, long e) { return __builtin_scalblnf(x, e); }

inline unsigned umax(unsigned a, unsigned b) { return a < b ? b : a; }
inline unsigned umin(unsigned a, unsigned b) { return b < a ? b : a; }
inline long long llmax(long long a, long long b) { return a < b ? b : a; }
inline long long llmin(long long a, long long b) { return b < a ? b : a; }
inline unsigned long long ullmax(unsigned long long a, unsigned long long b) {
  return a < b ? b : a;
}
inline unsigned long long ullmin(unsigned long long a, unsigned long long b) {
  return b < a ? b : a;
}
inline double fdivide(double x, double y) { return x / y; }
inline float fdividef(float x, float y) { return x / y; }
inline float fdivide(float x, float y) { return x / y; }

/// NaN becomes 0.
inline float __saturatef(float x) { return x >= 1.0f ? 1.0f : x > 0.0f ? x : 0.0f; }
KERNELBATCH_INSTEAD float __tanf(float x) noexcept { return tan(x); }
KERNELBATCH_INSTEAD float __tanhf(float x) noexcept { return tanh(x); }
KERNELBATCH_INSTEAD float __exp10f(float x) noexcept { return exp10(x); }
KERNELBATCH_INSTEAD float __log2f(float x) noexcept { return log2(x); }
KERNELBATCH_INSTEAD float __log10f(float x) noexcept { return log10(x); }
KERNELBATCH_INSTEAD void __sincosf(float x, float* s, float* c) noexcept { sincosf(x, s, c); }

// Euclidean lengths, with neither overflow nor underflow on the way.
namespace kernelbatch {
namespace detail {

/// Sum of squares in two doubles of values scaled to about 1.
struct length {
  double scale = 1, back = 1, high = 0, low = 0;
  bool is_infinite = false, is_nan = false;
  explicit length(double greatest) {
    if (!(greatest > 0) || __builtin_isinf(greatest)) return;
    const int exponent = __builtin_ilogb(greatest);
    const int half = -exponent / 2;  // in two steps: 2^1074 is no double
    scale = __builtin_ldexp(1.0, half);
    back = __builtin_ldexp(1.0, -exponent - half);
  }
  void add(double x) {
    is_infinite = is_infinite || __builtin_isinf(x);
    is_nan = is_nan || x != x;
    const double y = x * scale * back;
    const double square = y * y;
    const double rest = __builtin_fma(y, y, -square);
    const double sum = high + square;
    const double part = sum - high;
    low += ((high - (sum - part)) + (square - part)) + rest;
    high = sum;
  }
  /// The root, scaled, and its error.
  double root(double& error) const {
    const double all = high + low;
    if (all == 0) {
      error = 0;
      return 0;
    }
    const double first = __builtin_sqrt(all);
    error = (__builtin_fma(-first, first, high) + low) / (2 * first);
    return first;
  }
  double value() const {
    if (is_infinite) return __builtin_inf();
    if (is_nan) return __builtin_nan("");
    double error;
    const double first = root(error);
    return (first + error) / scale / back;
  }
  double reciprocal() const {
    if (is_infinite) return 0;
    if (is_nan) return __builtin_nan("");
    double error;
    const double first = root(error);
    const double inverse = 1 / first;
    if (first == 0) return inverse;
    const double rest = __builtin_fma(-inverse, first, 1.0) - inverse * error;
    return (inverse + inverse * rest) * scale * back;
  }
};

template <class T>
inline length length_of(const T* values, int count) {
  double greatest = 0;
  for (int k = 0; k < count; ++k) greatest = __builtin_fmax(greatest, __builtin_fabs(values[k]));
  length all(greatest);
  for (int k = 0; k < count; ++k) all.add(values[k]);
  return all;
}

}  // namespace detail
}  // namespace kernelbatch

#define KERNELBATCH_LENGTHS(T, end)                                                    \
  inline T norm3d##end(T x, T y, T z) {                                                \
    const T all[] = {x, y, z};                                                         \
    return static_cast<T>(kernelbatch::detail::length_of(all, 3).value());             \
  }                                                                                    \
  inline T norm4d##end(T x, T y, T z, T w) {                                           \
    const T all[] = {x, y, z, w};                                                      \
    return static_cast<T>(kernelbatch::detail::length_of(all, 4).value());             \
  }                                                                                    \
  inline T rnorm3d##end(T x, T y, T z) {                                               \
    const T all[] = {x, y, z};                                                         \
    return static_cast<T>(kernelbatch::detail::length_of(all, 3).reciprocal());        \
  }                                                                                    \
  inline T rnorm4d##end(T x, T y, T z, T w) {                                          \
    const T all[] = {x, y, z, w};                                                      \
    return static_cast<T>(kernelbatch::detail::length_of(all, 4).reciprocal());        \
  }                                                                                    \
  inline T rhypot##end(T x, T y) {                                                     \
    const T all[] = {x, y};                                                            \
    return static_cast<T>(kernelbatch::detail::length_of(all, 2).reciprocal());        \
  }                                                                                    \
  inline T norm##end(int count, const T* values) {                                     \
    return static_cast<T>(kernelbatch::detail::length_of(values, count).value());      \
  }                                                                                    \
  inline T rnorm##end(int count, const T* values) {                                    \
    return static_cast<T>(kernelbatch::detail::length_of(values, count).reciprocal()); \
  }
KERNELBATCH_LENGTHS(double, )
KERNELBATCH_LENGTHS(float, f)
#undef KERNELBATCH_LENGTHS
inline float norm3d(float x, float y, float z) { return norm3df(x, y, z); }
inline float norm4d(float x, float y, float z, float w) { return norm4df(x, y, z, w); }
inline float rnorm3d(float x, float y, float z) { return rnorm3df(x, y, z); }
inline float rnorm4d(float x, float y, float z, float w) { return rnorm4df(x, y, z, w); }
inline float rhypot(float x, float y) { return rhypotf(x, y); }
inline float norm(int count, const float* values) { return normf(count, values); }
inline float rnorm(int count, const float* values) { return rnormf(count, values); }

// Questions.
#ifndef KERNELBATCH_STANDARD_HEADERS
#define KERNELBATCH_ASK(name, T) \
  KERNELBATCH_INLINE bool is##name(T x, T y) { return __builtin_is##name(x, y); }
#define KERNELBATCH_ASKED(T)                                                                \
  KERNELBATCH_INLINE bool isnormal(T x) { return __builtin_isnormal(x); }                   \
  KERNELBATCH_INLINE int fpclassify(T x) { return __builtin_fpclassify(0, 1, 4, 3, 2, x); } \
  KERNELBATCH_ASK(unordered, T)                                                             \
  KERNELBATCH_ASK(greater, T)                                                               \
  KERNELBATCH_ASK(greaterequal, T)                                                          \
  KERNELBATCH_ASK(less, T)                                                                  \
  KERNELBATCH_ASK(lessequal, T)                                                             \
  KERNELBATCH_ASK(lessgreater, T)
KERNELBATCH_ASKED(float)
KERNELBATCH_ASKED(double)
#undef KERNELBATCH_ASKED
#undef KERNELBATCH_ASK
#endif
extern "C" int __finite(double) noexcept;
extern "C" int __finitef(float) noexcept;
extern "C" int __isnan(double) noexcept;
extern "C" int __isnanf(float) noexcept;
extern "C" int __isinf(double) noexcept;
extern "C" int __isinff(float) noexcept;
extern "C" int __signbit(double) noexcept;
extern "C" int __signbitf(float) noexcept;
