// Mathematics for kernels on the host, under CUDA's names, from the C library that is loaded
// anyway.
#pragma once

#ifdef KERNELBATCH_STANDARD_HEADERS
// The text brings headers of the C++ library along. They must come first, keep what the C library
// declares by the names of CUDA, and have nothing of these, which CUDA means otherwise.
#include <cmath>
#define __expf kernelbatch_expf
#define __logf kernelbatch_logf
#define __sinf kernelbatch_sinf
#define __cosf kernelbatch_cosf
#define __powf kernelbatch_powf
#endif

namespace kernelbatch {
namespace detail {
template <class T>
struct is_integer {
  static constexpr bool value = false;
};
#define KERNELBATCH_INTEGER(T)          \
  template <>                           \
  struct is_integer<T> {                \
    static constexpr bool value = true; \
  };
KERNELBATCH_INTEGER(bool)
KERNELBATCH_INTEGER(char)
KERNELBATCH_INTEGER(signed char)
KERNELBATCH_INTEGER(unsigned char)
KERNELBATCH_INTEGER(short)
KERNELBATCH_INTEGER(unsigned short)
KERNELBATCH_INTEGER(int)
KERNELBATCH_INTEGER(unsigned)
KERNELBATCH_INTEGER(long)
KERNELBATCH_INTEGER(unsigned long)
KERNELBATCH_INTEGER(long long)
KERNELBATCH_INTEGER(unsigned long long)
#undef KERNELBATCH_INTEGER
template <bool Condition, class T>
struct enable {};
template <class T>
struct enable<true, T> {
  using type = T;
};
}  // namespace detail
}  // namespace kernelbatch

/// Instead of the C library's function of this name, which a text's headers may declare as well.
#define KERNELBATCH_INSTEAD extern "C" inline __attribute__((__gnu_inline__, __always_inline__))

// A function of one argument: double, float, the float name of C, and integers as double.
#define KERNELBATCH_UNARY(name)                                                       \
  extern "C" double name(double) noexcept;                                            \
  extern "C" float name##f(float) noexcept;                                           \
  KERNELBATCH_INLINE float name(float x) { return __builtin_##name##f(x); }           \
  template <class T>                                                                  \
  KERNELBATCH_INLINE                                                                  \
      typename kernelbatch::detail::enable<kernelbatch::detail::is_integer<T>::value, \
                                           double>::type                              \
      name(T x) {                                                                     \
    return __builtin_##name(static_cast<double>(x));                                  \
  }
KERNELBATCH_UNARY(sin)
KERNELBATCH_UNARY(cos)
KERNELBATCH_UNARY(tan)
KERNELBATCH_UNARY(asin)
KERNELBATCH_UNARY(acos)
KERNELBATCH_UNARY(atan)
KERNELBATCH_UNARY(sinh)
KERNELBATCH_UNARY(cosh)
KERNELBATCH_UNARY(tanh)
KERNELBATCH_UNARY(asinh)
KERNELBATCH_UNARY(acosh)
KERNELBATCH_UNARY(atanh)
KERNELBATCH_UNARY(exp)
KERNELBATCH_UNARY(exp2)
KERNELBATCH_UNARY(expm1)
KERNELBATCH_UNARY(log)
KERNELBATCH_UNARY(log2)
KERNELBATCH_UNARY(log10)
KERNELBATCH_UNARY(log1p)
KERNELBATCH_UNARY(sqrt)
KERNELBATCH_UNARY(floor)
KERNELBATCH_UNARY(ceil)
KERNELBATCH_UNARY(round)
KERNELBATCH_UNARY(rint)
KERNELBATCH_UNARY(nearbyint)
KERNELBATCH_UNARY(trunc)
KERNELBATCH_UNARY(erf)
KERNELBATCH_UNARY(erfc)
KERNELBATCH_UNARY(tgamma)
KERNELBATCH_UNARY(lgamma)
KERNELBATCH_UNARY(fabs)
KERNELBATCH_UNARY(logb)
#undef KERNELBATCH_UNARY

// A function of two arguments: both float, else both as double.
#define KERNELBATCH_BINARY(name)                                                        \
  extern "C" double name(double, double) noexcept;                                      \
  extern "C" float name##f(float, float) noexcept;                                      \
  KERNELBATCH_INLINE float name(float x, float y) { return __builtin_##name##f(x, y); } \
  template <class X, class Y>                                                           \
  KERNELBATCH_INLINE double name(X x, Y y) {                                            \
    return __builtin_##name(static_cast<double>(x), static_cast<double>(y));            \
  }
KERNELBATCH_BINARY(atan2)
KERNELBATCH_BINARY(pow)
KERNELBATCH_BINARY(hypot)
KERNELBATCH_BINARY(fmod)
KERNELBATCH_BINARY(remainder)
KERNELBATCH_BINARY(copysign)
KERNELBATCH_BINARY(nextafter)
KERNELBATCH_BINARY(fdim)
#undef KERNELBATCH_BINARY

extern "C" double fma(double, double, double) noexcept;
extern "C" float fmaf(float, float, float) noexcept;
extern "C" double ldexp(double, int) noexcept;
extern "C" float ldexpf(float, int) noexcept;
extern "C" double frexp(double, int*) noexcept;
extern "C" double modf(double, double*) noexcept;
extern "C" int abs(int) noexcept;
KERNELBATCH_INLINE float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
KERNELBATCH_INLINE float ldexp(float x, int e) { return __builtin_ldexpf(x, e); }
KERNELBATCH_INLINE double abs(double x) { return __builtin_fabs(x); }
KERNELBATCH_INLINE float abs(float x) { return __builtin_fabsf(x); }
KERNELBATCH_INLINE long abs(long x) { return x < 0 ? -x : x; }
KERNELBATCH_INLINE long long abs(long long x) { return x < 0 ? -x : x; }
KERNELBATCH_INLINE double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
KERNELBATCH_INLINE float rsqrt(float x) { return 1.0f / __builtin_sqrtf(x); }
KERNELBATCH_INLINE float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
#ifndef KERNELBATCH_STANDARD_HEADERS
KERNELBATCH_INSTEAD double exp10(double x) noexcept { return __builtin_pow(10.0, x); }
KERNELBATCH_INSTEAD float exp10f(float x) noexcept { return __builtin_powf(10.0f, x); }
KERNELBATCH_INSTEAD void sincos(double x, double* s, double* c) noexcept {
  *s = sin(x);
  *c = cos(x);
}
KERNELBATCH_INSTEAD void sincosf(float x, float* s, float* c) noexcept {
  *s = sin(x);
  *c = cos(x);
}
#endif
KERNELBATCH_INLINE void sincos(float x, float* s, float* c) { sincosf(x, s, c); }
KERNELBATCH_INLINE float frexp(float x, int* e) { return __builtin_frexpf(x, e); }
KERNELBATCH_INLINE float modf(float x, float* whole) { return __builtin_modff(x, whole); }
KERNELBATCH_INLINE float exp10(float x) { return exp10f(x); }

// Overloads, not templates: a half converts to float.
#define KERNELBATCH_QUESTION(name)                                      \
  KERNELBATCH_INLINE bool name(float x) { return __builtin_##name(x); } \
  KERNELBATCH_INLINE bool name(double x) { return __builtin_##name(x); }
KERNELBATCH_QUESTION(isnan)
KERNELBATCH_QUESTION(isinf)
KERNELBATCH_QUESTION(isfinite)
#undef KERNELBATCH_QUESTION
// By its bit: g++ 12 fails to compile the vectorised builtin for AVX-512.
KERNELBATCH_INLINE bool signbit(float x) { return __builtin_bit_cast(unsigned, x) >> 31 != 0; }
KERNELBATCH_INLINE bool signbit(double x) {
  return __builtin_bit_cast(unsigned long long, x) >> 63 != 0;
}

// The greater (or smaller) of two floats: NaN loses, and +0 is above −0, as on a GPU.
namespace kernelbatch {
namespace detail {
#define KERNELBATCH_EXTREME(T, Bits)                                                      \
  KERNELBATCH_INLINE T greater(T x, T y) {                                                \
    const T equal =                                                                       \
        __builtin_bit_cast(T, __builtin_bit_cast(Bits, x) & __builtin_bit_cast(Bits, y)); \
    const T of_numbers = x < y ? y : x > y ? x : equal;                                   \
    return x != x ? y : y != y ? x : of_numbers;                                          \
  }                                                                                       \
  KERNELBATCH_INLINE T smaller(T x, T y) {                                                \
    const T equal =                                                                       \
        __builtin_bit_cast(T, __builtin_bit_cast(Bits, x) | __builtin_bit_cast(Bits, y)); \
    const T of_numbers = y < x ? y : y > x ? x : equal;                                   \
    return x != x ? y : y != y ? x : of_numbers;                                          \
  }
KERNELBATCH_EXTREME(float, unsigned)
KERNELBATCH_EXTREME(double, unsigned long long)
#undef KERNELBATCH_EXTREME
}  // namespace detail
}  // namespace kernelbatch

#define KERNELBATCH_EXTREME(name, which)                                                       \
  KERNELBATCH_INLINE float name(float x, float y) { return kernelbatch::detail::which(x, y); } \
  template <class X, class Y>                                                                  \
  KERNELBATCH_INLINE double name(X x, Y y) {                                                   \
    return kernelbatch::detail::which(static_cast<double>(x), static_cast<double>(y));         \
  }
KERNELBATCH_EXTREME(fmin, smaller)
KERNELBATCH_EXTREME(fmax, greater)
#undef KERNELBATCH_EXTREME
#ifndef KERNELBATCH_STANDARD_HEADERS
KERNELBATCH_INSTEAD float fminf(float x, float y) noexcept {
  return kernelbatch::detail::smaller(x, y);
}
KERNELBATCH_INSTEAD float fmaxf(float x, float y) noexcept {
  return kernelbatch::detail::greater(x, y);
}
#endif

// min and max of two numbers in their common type; of floats as fmin and fmax do it.
template <class X, class Y>
KERNELBATCH_INLINE auto min(X x, Y y) -> decltype(x + y) {
  using T = decltype(x + y);
  const T a = static_cast<T>(x), b = static_cast<T>(y);
  if constexpr (T(0.5) != T(0))
    return kernelbatch::detail::smaller(a, b);
  else
    return b < a ? b : a;
}
template <class X, class Y>
KERNELBATCH_INLINE auto max(X x, Y y) -> decltype(x + y) {
  using T = decltype(x + y);
  const T a = static_cast<T>(x), b = static_cast<T>(y);
  if constexpr (T(0.5) != T(0))
    return kernelbatch::detail::greater(a, b);
  else
    return a < b ? b : a;
}

// Integer intrinsics.
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __brev(unsigned x) {
  unsigned r = 0;
  for (int k = 0; k < 32; ++k) r |= ((x >> k) & 1u) << (31 - k);
  return r;
}
inline unsigned __umulhi(unsigned x, unsigned y) {
  return static_cast<unsigned>((static_cast<unsigned long long>(x) * y) >> 32);
}
inline int __mulhi(int x, int y) { return static_cast<int>((static_cast<long long>(x) * y) >> 32); }
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(x) * y) >> 64);
}
inline long long __mul64hi(long long x, long long y) {
  return static_cast<long long>((static_cast<__int128>(x) * y) >> 64);
}

// Bits of floats, rounded arithmetic, and plain loads under their CUDA names.
inline int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
inline unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
inline float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
inline float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
inline long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
inline double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
inline float __fdividef(float x, float y) { return x / y; }
KERNELBATCH_INSTEAD float __expf(float x) noexcept { return exp(x); }
KERNELBATCH_INSTEAD float __logf(float x) noexcept { return log(x); }
KERNELBATCH_INSTEAD float __sinf(float x) noexcept { return sin(x); }
KERNELBATCH_INSTEAD float __cosf(float x) noexcept { return cos(x); }
KERNELBATCH_INSTEAD float __powf(float x, float y) noexcept { return pow(x, y); }
template <class T>
inline T __ldg(const T* p) {
  return *p;
}
template <class T>
inline T __ldcs(const T* p) {
  return *p;
}
template <class T>
inline void __stcs(T* p, T value) {
  *p = value;
}

// Vector types.
#define KERNELBATCH_VECTORS(T, name)                                 \
  struct name##1 {                                                   \
    T x;                                                             \
  };                                                                 \
  struct alignas(2 * sizeof(T)) name##2 {                            \
    T x, y;                                                          \
  };                                                                 \
  struct name##3 {                                                   \
    T x, y, z;                                                       \
  };                                                                 \
  struct alignas(4 * sizeof(T) > 16 ? 16 : 4 * sizeof(T)) name##4 {  \
    T x, y, z, w;                                                    \
  };                                                                 \
  inline name##2 make_##name##2(T x, T y) { return {x, y}; }         \
  inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; } \
  inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
KERNELBATCH_VECTORS(float, float)
KERNELBATCH_VECTORS(double, double)
KERNELBATCH_VECTORS(int, int)
KERNELBATCH_VECTORS(short, short)
KERNELBATCH_VECTORS(signed char, char)
KERNELBATCH_VECTORS(unsigned char, uchar)
KERNELBATCH_VECTORS(unsigned short, ushort)
KERNELBATCH_VECTORS(long long, longlong)
KERNELBATCH_VECTORS(unsigned long long, ulonglong)
#undef KERNELBATCH_VECTORS
struct uint1 {
  unsigned x;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return {x, y, z}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }

#ifndef KERNELBATCH_STANDARD_HEADERS
#define NAN __builtin_nanf("")
#define INFINITY __builtin_inff()
#endif
#define CUDART_INF_F __builtin_inff()
#define CUDART_INF __builtin_inf()
#define CUDART_NAN_F __builtin_nanf("")
#define CUDART_NAN __builtin_nan("")
#define CUDART_PI_F 3.141592654f
#define CUDART_PI 3.1415926535897931
