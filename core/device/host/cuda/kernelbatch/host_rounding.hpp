// Arithmetic with a rounding of its own, for kernels on the host.
// Asked for by: __fadd_* __fsub_* __fmul_* __fmaf_* __fdiv_* __frcp_* __fsqrt_* __frsqrt_rn
// __fadd2_* __fmul2_* __ffma2_* __dadd_* __dsub_* __dmul_* __ddiv_* __drcp_* __dsqrt_* __fma_rn
// __fma_rz __fma_ru __fma_rd.
#pragma once

#if defined(__x86_64__)
#define KERNELBATCH_HELD "x"
#elif defined(__aarch64__)
#define KERNELBATCH_HELD "w"
#else
#define KERNELBATCH_HELD "m"
extern "C" int fegetround() noexcept;
extern "C" int fesetround(int) noexcept;
#include <fenv.h>
#endif

namespace kernelbatch {
namespace detail {

enum class Direction { kNearest, kZero, kUp, kDown };

/// The thread's rounding, as the processor keeps it. Only for functions that are never inlined:
/// the compiler moves arithmetic of other kernels past it.
#if defined(__x86_64__)
using rounding_word = unsigned;
KERNELBATCH_INLINE rounding_word get_rounding() {
  unsigned word;
  asm volatile("stmxcsr %0" : "=m"(word));
  return word;
}
KERNELBATCH_INLINE void set_rounding(rounding_word word) {
  asm volatile("ldmxcsr %0" : : "m"(word));
}
KERNELBATCH_INLINE rounding_word with_direction(rounding_word word, Direction to) {
  return (word & ~0x603fu) | (to == Direction::kDown   ? 0x2000u
                              : to == Direction::kUp   ? 0x4000u
                              : to == Direction::kZero ? 0x6000u
                                                       : 0u);
}
#elif defined(__aarch64__)
using rounding_word = unsigned long;
KERNELBATCH_INLINE rounding_word get_rounding() {
  unsigned long word;
  asm volatile("mrs %0, fpcr" : "=r"(word));
  return word;
}
KERNELBATCH_INLINE void set_rounding(rounding_word word) {
  asm volatile("msr fpcr, %0" : : "r"(word));
}
KERNELBATCH_INLINE rounding_word with_direction(rounding_word word, Direction to) {
  return (word & ~0xc00000ul) | (to == Direction::kUp     ? 0x400000ul
                                 : to == Direction::kDown ? 0x800000ul
                                 : to == Direction::kZero ? 0xc00000ul
                                                          : 0ul);
}
#else
using rounding_word = int;
inline rounding_word get_rounding() { return fegetround(); }
inline void set_rounding(rounding_word word) { fesetround(word); }
inline rounding_word with_direction(rounding_word, Direction to) {
  return to == Direction::kUp     ? FE_UPWARD
         : to == Direction::kDown ? FE_DOWNWARD
         : to == Direction::kZero ? FE_TOWARDZERO
                                  : FE_TONEAREST;
}
#endif

/// The value, as the compiler cannot know it: no constant, no part of a fused operation.
template <class T>
KERNELBATCH_INLINE T held(T value) {
  asm("" : "+" KERNELBATCH_HELD(value));
  return value;
}

template <Direction To, class T, class Operation>
__attribute__((noinline)) inline T directed(T x, T y, T z, Operation operation) {
  const rounding_word before = get_rounding();
  set_rounding(with_direction(before, To));
  asm volatile("" : "+" KERNELBATCH_HELD(x), "+" KERNELBATCH_HELD(y), "+" KERNELBATCH_HELD(z));
  T result = operation(x, y, z);
  asm volatile("" : "+" KERNELBATCH_HELD(result));
  set_rounding(before);
  return result;
}

}  // namespace detail
}  // namespace kernelbatch

#define KERNELBATCH_DIRECTED(name, suffix, to, T, parameters, x, y, z, expression) \
  inline T name##_##suffix parameters {                                            \
    return kernelbatch::detail::directed<kernelbatch::detail::Direction::to, T>(   \
        x, y, z, [](T a, T b, T c) __attribute__((always_inline))->T {             \
          (void)a;                                                                 \
          (void)b;                                                                 \
          (void)c;                                                                 \
          return expression;                                                       \
        });                                                                        \
  }
#define KERNELBATCH_OPERATION(name, T, parameters, x, y, z, expression)     \
  KERNELBATCH_DIRECTED(name, rz, kZero, T, parameters, x, y, z, expression) \
  KERNELBATCH_DIRECTED(name, ru, kUp, T, parameters, x, y, z, expression)   \
  KERNELBATCH_DIRECTED(name, rd, kDown, T, parameters, x, y, z, expression)
#define KERNELBATCH_ARITHMETIC(add, sub, mul, div, rcp, sqrt_, fma_, T, root, fused)   \
  KERNELBATCH_OPERATION(add, T, (T p, T q), p, q, T(0), a + b)                         \
  KERNELBATCH_OPERATION(sub, T, (T p, T q), p, q, T(0), a - b)                         \
  KERNELBATCH_OPERATION(mul, T, (T p, T q), p, q, T(0), a* b)                          \
  KERNELBATCH_OPERATION(div, T, (T p, T q), p, q, T(0), a / b)                         \
  KERNELBATCH_OPERATION(rcp, T, (T p), T(1), p, T(0), a / b)                           \
  KERNELBATCH_OPERATION(sqrt_, T, (T p), p, T(0), T(0), root(a))                       \
  KERNELBATCH_OPERATION(fma_, T, (T p, T q, T r), p, q, r, fused(a, b, c))             \
  KERNELBATCH_INLINE T add##_rn(T p, T q) {                                            \
    return kernelbatch::detail::held(p) + kernelbatch::detail::held(q);                \
  }                                                                                    \
  KERNELBATCH_INLINE T sub##_rn(T p, T q) {                                            \
    return kernelbatch::detail::held(p) - kernelbatch::detail::held(q);                \
  }                                                                                    \
  KERNELBATCH_INLINE T mul##_rn(T p, T q) { return kernelbatch::detail::held(p * q); } \
  KERNELBATCH_INLINE T div##_rn(T p, T q) { return p / q; }                            \
  KERNELBATCH_INLINE T rcp##_rn(T p) { return T(1) / p; }                              \
  KERNELBATCH_INLINE T sqrt_##_rn(T p) { return root(p); }                             \
  KERNELBATCH_INLINE T fma_##_rn(T p, T q, T r) { return fused(p, q, r); }
KERNELBATCH_ARITHMETIC(__fadd, __fsub, __fmul, __fdiv, __frcp, __fsqrt, __fmaf, float,
                       __builtin_sqrtf, __builtin_fmaf)
KERNELBATCH_ARITHMETIC(__dadd, __dsub, __dmul, __ddiv, __drcp, __dsqrt, __fma, double,
                       __builtin_sqrt, __builtin_fma)
#undef KERNELBATCH_ARITHMETIC
#undef KERNELBATCH_OPERATION
#undef KERNELBATCH_DIRECTED
#undef KERNELBATCH_HELD

inline float __frsqrt_rn(float x) {
  const double root = __builtin_sqrt(static_cast<double>(x));
  return static_cast<float>(1.0 / root);
}

// Functions that keep denormals whatever the flags of the compiler, and two floats at once.
#define KERNELBATCH_PAIRS(suffix)                                            \
  inline float __fmaf_ieee_##suffix(float x, float y, float z) {             \
    return __fmaf_##suffix(x, y, z);                                         \
  }                                                                          \
  inline float2 __fadd2_##suffix(float2 x, float2 y) {                       \
    return {__fadd_##suffix(x.x, y.x), __fadd_##suffix(x.y, y.y)};           \
  }                                                                          \
  inline float2 __fmul2_##suffix(float2 x, float2 y) {                       \
    return {__fmul_##suffix(x.x, y.x), __fmul_##suffix(x.y, y.y)};           \
  }                                                                          \
  inline float2 __ffma2_##suffix(float2 x, float2 y, float2 z) {             \
    return {__fmaf_##suffix(x.x, y.x, z.x), __fmaf_##suffix(x.y, y.y, z.y)}; \
  }
KERNELBATCH_PAIRS(rn)
KERNELBATCH_PAIRS(rz)
KERNELBATCH_PAIRS(ru)
KERNELBATCH_PAIRS(rd)
#undef KERNELBATCH_PAIRS
