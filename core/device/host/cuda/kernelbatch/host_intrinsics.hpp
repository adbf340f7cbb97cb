// Seldom used intrinsics for kernels on the host, under CUDA's names.
// Asked for by: __byte_perm __funnelshift_* __dp4a __dp2a_* __brevll __sad __usad __mul24 __umul24
// __hadd __rhadd __uhadd sinpi* cospi* sincospi*.
#pragma once

/// Bytes 0…7 of y:x, chosen by the low three bits of the four digits of `choice`.
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned choice) {
  const unsigned long long all = static_cast<unsigned long long>(y) << 32 | x;
  unsigned result = 0;
  for (int k = 0; k < 4; ++k) {
    const unsigned digit = (choice >> (4 * k)) & 7u;
    result |= (static_cast<unsigned>(all >> (8 * digit)) & 0xffu) << (8 * k);
  }
  return result;
}

inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned>((both << (shift & 31u)) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned>(both >> (shift & 31u));
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

namespace kernelbatch {
namespace detail {
/// Sum of products modulo 2^32 of `Count` pairs: parts of `a` with bytes of `b` from `first` on.
template <class Part, class Byte, int Count>
inline unsigned dot(unsigned a, unsigned b, unsigned sum, int first) {
  for (int k = 0; k < Count; ++k) {
    const Part x = static_cast<Part>(a >> (8 * static_cast<int>(sizeof(Part)) * k));
    const Byte y = static_cast<Byte>(b >> (8 * (first + k)));
    sum += static_cast<unsigned>(static_cast<int>(x) * static_cast<int>(y));
  }
  return sum;
}
}  // namespace detail
}  // namespace kernelbatch
inline int __dp4a(int a, int b, int sum) {
  return static_cast<int>(kernelbatch::detail::dot<signed char, signed char, 4>(
      static_cast<unsigned>(a), static_cast<unsigned>(b), static_cast<unsigned>(sum), 0));
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned sum) {
  return kernelbatch::detail::dot<unsigned char, unsigned char, 4>(a, b, sum, 0);
}
inline int __dp2a_lo(int a, int b, int sum) {
  return static_cast<int>(kernelbatch::detail::dot<short, signed char, 2>(
      static_cast<unsigned>(a), static_cast<unsigned>(b), static_cast<unsigned>(sum), 0));
}
inline unsigned __dp2a_lo(unsigned a, unsigned b, unsigned sum) {
  return kernelbatch::detail::dot<unsigned short, unsigned char, 2>(a, b, sum, 0);
}
inline int __dp2a_hi(int a, int b, int sum) {
  return static_cast<int>(kernelbatch::detail::dot<short, signed char, 2>(
      static_cast<unsigned>(a), static_cast<unsigned>(b), static_cast<unsigned>(sum), 2));
}
inline unsigned __dp2a_hi(unsigned a, unsigned b, unsigned sum) {
  return kernelbatch::detail::dot<unsigned short, unsigned char, 2>(a, b, sum, 2);
}

inline unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
         __brev(static_cast<unsigned>(x >> 32));
}
inline unsigned __sad(int x, int y, unsigned z) {
  return z + (x > y ? static_cast<unsigned>(x) - static_cast<unsigned>(y)
                    : static_cast<unsigned>(y) - static_cast<unsigned>(x));
}
inline unsigned __usad(unsigned x, unsigned y, unsigned z) { return z + (x > y ? x - y : y - x); }
inline int __mul24(int x, int y) {
  const long long a = static_cast<long long>(static_cast<unsigned long long>(x) << 40) >> 40;
  const long long b = static_cast<long long>(static_cast<unsigned long long>(y) << 40) >> 40;
  return static_cast<int>(a * b);
}
inline unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffffu) * (y & 0xffffffu); }
inline int __hadd(int x, int y) { return static_cast<int>((static_cast<long long>(x) + y) >> 1); }
inline int __rhadd(int x, int y) {
  return static_cast<int>((static_cast<long long>(x) + y + 1) >> 1);
}
inline unsigned __uhadd(unsigned x, unsigned y) {
  return static_cast<unsigned>((static_cast<unsigned long long>(x) + y) >> 1);
}

/// sin(pi x) and cos(pi x), exact where x is a multiple of a half.
inline double sinpi(double x) {
  const double pi = 3.14159265358979323846;
  const double size = __builtin_fmod(__builtin_fabs(x), 2.0);
  const int quarter = static_cast<int>(__builtin_rint(2 * size));
  const double rest = (size - 0.5 * quarter) * pi;
  const double value = quarter & 1 ? __builtin_cos(rest) : __builtin_sin(rest);
  const double turned = quarter & 2 ? -value : value;
  return __builtin_copysign(1.0, x) < 0 ? -turned : turned;
}
inline double cospi(double x) {
  const double pi = 3.14159265358979323846;
  const double size = __builtin_fmod(__builtin_fabs(x), 2.0);
  const int quarter = static_cast<int>(__builtin_rint(2 * size));
  const double rest = (size - 0.5 * quarter) * pi;
  const double value = quarter & 1 ? -__builtin_sin(rest) : __builtin_cos(rest);
  return quarter & 2 ? -value : value;
}
inline float sinpi(float x) { return static_cast<float>(sinpi(static_cast<double>(x))); }
inline float cospi(float x) { return static_cast<float>(cospi(static_cast<double>(x))); }
inline float sinpif(float x) { return sinpi(x); }
inline float cospif(float x) { return cospi(x); }
inline void sincospi(double x, double* s, double* c) {
  *s = sinpi(x);
  *c = cospi(x);
}
inline void sincospif(float x, float* s, float* c) {
  *s = sinpi(x);
  *c = cospi(x);
}
inline void sincospi(float x, float* s, float* c) { sincospif(x, s, c); }
