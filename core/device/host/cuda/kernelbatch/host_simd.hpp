// Integers of 8 and 16 bits in the parts of a word, and minima and maxima of several integers, for
// kernels on the host, under CUDA's names.
// Asked for by: __vabs* __vadd* __vsub* __vavg* __vhadd* __vmax* __vmin* __vneg* __vsad* __vset*
// __vcmp* __viadd* __vib* __vim*.
#pragma once

namespace kernelbatch {
namespace detail {

/// Applies `operation` to each part of two words, sign- or zero-extended; keeps its low bits.
template <class Part, class Operation>
KERNELBATCH_INLINE unsigned by_parts(unsigned a, unsigned b, Operation operation) {
  constexpr unsigned kBits = 8 * sizeof(Part);
  constexpr unsigned kMask = (1u << kBits) - 1;
  unsigned result = 0;
  for (unsigned k = 0; k < 32; k += kBits) {
    const int x = static_cast<Part>(a >> k), y = static_cast<Part>(b >> k);
    result |= (static_cast<unsigned>(operation(x, y)) & kMask) << k;
  }
  return result;
}
template <class Part>
KERNELBATCH_INLINE int clamped(int x) {
  constexpr bool kSigned = Part(-1) < Part(0);
  constexpr int kMost = (1 << (8 * sizeof(Part) - (kSigned ? 1 : 0))) - 1;
  constexpr int kLeast = kSigned ? -kMost - 1 : 0;
  return x > kMost ? kMost : x < kLeast ? kLeast : x;
}
template <class Part>
KERNELBATCH_INLINE unsigned sum_of_distances(unsigned a, unsigned b) {
  constexpr unsigned kBits = 8 * sizeof(Part);
  unsigned sum = 0;
  for (unsigned k = 0; k < 32; k += kBits) {
    const int x = static_cast<Part>(a >> k), y = static_cast<Part>(b >> k);
    sum += static_cast<unsigned>(x < y ? y - x : x - y);
  }
  return sum;
}

}  // namespace detail
}  // namespace kernelbatch

#define KERNELBATCH_PARTS1(name, Part, expression)                                            \
  inline unsigned name(unsigned a) {                                                          \
    return kernelbatch::detail::by_parts<Part>(a, 0u, [](int x, int) { return expression; }); \
  }
#define KERNELBATCH_PARTS2(name, Part, expression)                                             \
  inline unsigned name(unsigned a, unsigned b) {                                               \
    return kernelbatch::detail::by_parts<Part>(a, b, [](int x, int y) { return expression; }); \
  }
#define KERNELBATCH_COMPARE(name, n, suffix, Part, expression)     \
  KERNELBATCH_PARTS2(__vcmp##name##n, Part, (expression) ? -1 : 0) \
  KERNELBATCH_PARTS2(__vset##name##n, Part, (expression) ? 1 : 0)
#define KERNELBATCH_SIMD(n, S, U)                                                     \
  KERNELBATCH_PARTS1(__vabs##n, S, x < 0 ? -x : x)                                    \
  KERNELBATCH_PARTS1(__vabsss##n, S, kernelbatch::detail::clamped<S>(x < 0 ? -x : x)) \
  KERNELBATCH_PARTS1(__vneg##n, S, -x)                                                \
  KERNELBATCH_PARTS1(__vnegss##n, S, kernelbatch::detail::clamped<S>(-x))             \
  KERNELBATCH_PARTS2(__vabsdiffs##n, S, x < y ? y - x : x - y)                        \
  KERNELBATCH_PARTS2(__vabsdiffu##n, U, x < y ? y - x : x - y)                        \
  KERNELBATCH_PARTS2(__vadd##n, U, x + y)                                             \
  KERNELBATCH_PARTS2(__vaddss##n, S, kernelbatch::detail::clamped<S>(x + y))          \
  KERNELBATCH_PARTS2(__vaddus##n, U, kernelbatch::detail::clamped<U>(x + y))          \
  KERNELBATCH_PARTS2(__vsub##n, U, x - y)                                             \
  KERNELBATCH_PARTS2(__vsubss##n, S, kernelbatch::detail::clamped<S>(x - y))          \
  KERNELBATCH_PARTS2(__vsubus##n, U, kernelbatch::detail::clamped<U>(x - y))          \
  KERNELBATCH_PARTS2(__vavgs##n, S, (x + y + (x + y >= 0)) >> 1)                      \
  KERNELBATCH_PARTS2(__vavgu##n, U, (x + y + 1) >> 1)                                 \
  KERNELBATCH_PARTS2(__vhaddu##n, U, (x + y) >> 1)                                    \
  KERNELBATCH_PARTS2(__vmaxs##n, S, x < y ? y : x)                                    \
  KERNELBATCH_PARTS2(__vmaxu##n, U, x < y ? y : x)                                    \
  KERNELBATCH_PARTS2(__vmins##n, S, x < y ? x : y)                                    \
  KERNELBATCH_PARTS2(__vminu##n, U, x < y ? x : y)                                    \
  KERNELBATCH_COMPARE(eq, n, , U, x == y)                                             \
  KERNELBATCH_COMPARE(ne, n, , U, x != y)                                             \
  KERNELBATCH_COMPARE(ges, n, , S, x >= y)                                            \
  KERNELBATCH_COMPARE(geu, n, , U, x >= y)                                            \
  KERNELBATCH_COMPARE(gts, n, , S, x > y)                                             \
  KERNELBATCH_COMPARE(gtu, n, , U, x > y)                                             \
  KERNELBATCH_COMPARE(les, n, , S, x <= y)                                            \
  KERNELBATCH_COMPARE(leu, n, , U, x <= y)                                            \
  KERNELBATCH_COMPARE(lts, n, , S, x < y)                                             \
  KERNELBATCH_COMPARE(ltu, n, , U, x < y)                                             \
  inline unsigned __vsads##n(unsigned a, unsigned b) {                                \
    return kernelbatch::detail::sum_of_distances<S>(a, b);                            \
  }                                                                                   \
  inline unsigned __vsadu##n(unsigned a, unsigned b) {                                \
    return kernelbatch::detail::sum_of_distances<U>(a, b);                            \
  }
KERNELBATCH_SIMD(2, short, unsigned short)
KERNELBATCH_SIMD(4, signed char, unsigned char)
#undef KERNELBATCH_SIMD
#undef KERNELBATCH_COMPARE
#undef KERNELBATCH_PARTS1
#undef KERNELBATCH_PARTS2

// Maximum and minimum of three, after an addition, with zero (relu), and of which one it was.
namespace kernelbatch {
namespace detail {
template <class T>
KERNELBATCH_INLINE T greater_of(T a, T b) {
  return a < b ? b : a;
}
template <class T>
KERNELBATCH_INLINE T lesser_of(T a, T b) {
  return b < a ? b : a;
}
/// As by_parts, of three words of two parts each.
template <class Part, class Operation>
KERNELBATCH_INLINE unsigned by_halves(unsigned a, unsigned b, unsigned c, Operation operation) {
  const auto low = static_cast<unsigned short>(
      operation(static_cast<Part>(a), static_cast<Part>(b), static_cast<Part>(c)));
  const auto high = static_cast<unsigned short>(operation(
      static_cast<Part>(a >> 16), static_cast<Part>(b >> 16), static_cast<Part>(c >> 16)));
  return static_cast<unsigned>(high) << 16 | low;
}
}  // namespace detail
}  // namespace kernelbatch

#define KERNELBATCH_EXTREMES(name, which)                                          \
  KERNELBATCH_EXTREMES_OF(name, which, s32, int, unsigned)                         \
  KERNELBATCH_EXTREMES_OF(name, which, u32, unsigned, unsigned)                    \
  KERNELBATCH_EXTREMES_PAIR(name, which, s16x2, short)                             \
  KERNELBATCH_EXTREMES_PAIR(name, which, u16x2, unsigned short)                    \
  inline int __vi##name##3_s32_relu(int a, int b, int c) {                         \
    return kernelbatch::detail::greater_of(__vi##name##3_s32(a, b, c), 0);         \
  }                                                                                \
  inline int __viadd##name##_s32_relu(int a, int b, int c) {                       \
    return kernelbatch::detail::greater_of(__viadd##name##_s32(a, b, c), 0);       \
  }                                                                                \
  inline int __vi##name##_s32_relu(int a, int b) {                                 \
    return kernelbatch::detail::greater_of(kernelbatch::detail::which(a, b), 0);   \
  }                                                                                \
  inline unsigned __vi##name##3_s16x2_relu(unsigned a, unsigned b, unsigned c) {   \
    return __vmaxs2(__vi##name##3_s16x2(a, b, c), 0u);                             \
  }                                                                                \
  inline unsigned __viadd##name##_s16x2_relu(unsigned a, unsigned b, unsigned c) { \
    return __vmaxs2(__viadd##name##_s16x2(a, b, c), 0u);                           \
  }                                                                                \
  inline unsigned __vi##name##_s16x2_relu(unsigned a, unsigned b) {                \
    return __vmaxs2(__vi##name##3_s16x2(a, b, b), 0u);                             \
  }
#define KERNELBATCH_EXTREMES_OF(name, which, suffix, T, U)                                       \
  inline T __vi##name##3_##suffix(T a, T b, T c) {                                               \
    return kernelbatch::detail::which(kernelbatch::detail::which(a, b), c);                      \
  }                                                                                              \
  inline T __viadd##name##_##suffix(T a, T b, T c) {                                             \
    return kernelbatch::detail::which(static_cast<T>(static_cast<U>(a) + static_cast<U>(b)), c); \
  }                                                                                              \
  inline T __vib##name##_##suffix(T a, T b, bool* is_first) {                                    \
    *is_first = kernelbatch::detail::which(a, b) == a;                                           \
    return kernelbatch::detail::which(a, b);                                                     \
  }
#define KERNELBATCH_EXTREMES_PAIR(name, which, suffix, Part)                              \
  inline unsigned __vi##name##3_##suffix(unsigned a, unsigned b, unsigned c) {            \
    return kernelbatch::detail::by_halves<Part>(a, b, c, [](Part x, Part y, Part z) {     \
      return kernelbatch::detail::which(kernelbatch::detail::which(x, y), z);             \
    });                                                                                   \
  }                                                                                       \
  inline unsigned __viadd##name##_##suffix(unsigned a, unsigned b, unsigned c) {          \
    return kernelbatch::detail::by_halves<Part>(a, b, c, [](Part x, Part y, Part z) {     \
      return kernelbatch::detail::which(static_cast<Part>(x + y), z);                     \
    });                                                                                   \
  }                                                                                       \
  inline unsigned __vib##name##_##suffix(unsigned a, unsigned b, bool* high, bool* low) { \
    const unsigned result = __vi##name##3_##suffix(a, b, b);                              \
    *high = result >> 16 == a >> 16;                                                      \
    *low = static_cast<unsigned short>(result) == static_cast<unsigned short>(a);         \
    return result;                                                                        \
  }
KERNELBATCH_EXTREMES(max, greater_of)
KERNELBATCH_EXTREMES(min, lesser_of)
#undef KERNELBATCH_EXTREMES
#undef KERNELBATCH_EXTREMES_OF
#undef KERNELBATCH_EXTREMES_PAIR
