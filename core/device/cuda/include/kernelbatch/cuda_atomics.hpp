// Atomic operations that CUDA itself lacks, under its names: exact minimum and maximum of floats,
// 64-bit signed integers, half precision. NaN loses against a number, as in fmin and fmax. Included
// where a kernel's text uses atomics. Templates, so that a kernel may have functions of its own of
// the same name and parameters.
#pragma once

#define KERNELBATCH_ATOMIC \
  template <int = 0>       \
  KERNELBATCH_INLINE

namespace kernelbatch {
namespace detail {

template <class T, class Word, class Change>
KERNELBATCH_INLINE T atomic_update(T* address, Change change) {
  static_assert(sizeof(T) == sizeof(Word), "one word");
  union Both {
    T value;
    Word word;
    __device__ Both() {}
  } before, after;
  Word* const memory = reinterpret_cast<Word*>(address);
  Word seen = *static_cast<volatile Word*>(memory);
  for (;;) {
    before.word = seen;
    after.value = change(before.value);
    // What stays as it is need not be written.
    if (after.word == before.word) return before.value;
    seen = atomicCAS(memory, before.word, after.word);
    if (seen == before.word) return before.value;
  }
}

template <class T>
KERNELBATCH_INLINE T smaller(T a, T b) {
  return a != a || b < a ? b : a;
}
template <class T>
KERNELBATCH_INLINE T larger(T a, T b) {
  return a != a || a < b ? b : a;
}

}  // namespace detail
}  // namespace kernelbatch

#define KERNELBATCH_UPDATE(name, T, Word, expression)                                       \
  KERNELBATCH_ATOMIC T name(T* address, T b) {                                              \
    return kernelbatch::detail::atomic_update<T, Word>(address,                             \
                                                       [b](T a) { return T(expression); }); \
  }
#define KERNELBATCH_FLOAT_UPDATES(T, Word)                                      \
  KERNELBATCH_UPDATE(atomicMin, T, Word, kernelbatch::detail::smaller<T>(a, b)) \
  KERNELBATCH_UPDATE(atomicMax, T, Word, kernelbatch::detail::larger<T>(a, b))
#define KERNELBATCH_HALF_UPDATES(T)                                                             \
  KERNELBATCH_FLOAT_UPDATES(T, unsigned short)                                                  \
  KERNELBATCH_UPDATE(atomicAdd, T, unsigned short, float(a) + float(b))                         \
  KERNELBATCH_UPDATE(atomicSub, T, unsigned short, float(a) - float(b))                         \
  KERNELBATCH_ATOMIC T atomicExch(T* address, T value) {                                        \
    unsigned short* const memory = reinterpret_cast<unsigned short*>(address);                  \
    T old;                                                                                      \
    unsigned short seen = *static_cast<volatile unsigned short*>(memory);                       \
    do {                                                                                        \
      old.bits = seen;                                                                          \
      seen = atomicCAS(memory, old.bits, value.bits);                                           \
    } while (seen != old.bits);                                                                 \
    return old;                                                                                 \
  }                                                                                             \
  KERNELBATCH_ATOMIC T atomicCAS(T* address, T compare, T value) {                              \
    T old;                                                                                      \
    old.bits = atomicCAS(reinterpret_cast<unsigned short*>(address), compare.bits, value.bits); \
    return old;                                                                                 \
  }

KERNELBATCH_FLOAT_UPDATES(float, unsigned)
KERNELBATCH_FLOAT_UPDATES(double, unsigned long long)
KERNELBATCH_HALF_UPDATES(kernelbatch::float16)
KERNELBATCH_HALF_UPDATES(kernelbatch::bfloat16)
KERNELBATCH_ATOMIC float atomicSub(float* address, float b) { return atomicAdd(address, -b); }
KERNELBATCH_ATOMIC double atomicSub(double* address, double b) { return atomicAdd(address, -b); }
KERNELBATCH_ATOMIC float atomicCAS(float* address, float compare, float value) {
  return __uint_as_float(atomicCAS(reinterpret_cast<unsigned*>(address), __float_as_uint(compare),
                                   __float_as_uint(value)));
}
KERNELBATCH_ATOMIC double atomicCAS(double* address, double compare, double value) {
  return __longlong_as_double(
      (long long)atomicCAS(reinterpret_cast<unsigned long long*>(address),
                           (unsigned long long)__double_as_longlong(compare),
                           (unsigned long long)__double_as_longlong(value)));
}
KERNELBATCH_ATOMIC double atomicExch(double* address, double value) {
  return __longlong_as_double(
      (long long)atomicExch(reinterpret_cast<unsigned long long*>(address),
                            (unsigned long long)__double_as_longlong(value)));
}

// Two's complement: the same bits whatever the sign.
#define KERNELBATCH_SIGNED(name)                                           \
  KERNELBATCH_ATOMIC long long name(long long* address, long long value) { \
    return (long long)name(reinterpret_cast<unsigned long long*>(address), \
                           (unsigned long long)value);                     \
  }
KERNELBATCH_SIGNED(atomicAdd)
KERNELBATCH_SIGNED(atomicExch)
#undef KERNELBATCH_SIGNED
KERNELBATCH_ATOMIC long long atomicSub(long long* address, long long value) {
  return atomicAdd(address, (long long)(0ull - (unsigned long long)value));
}
KERNELBATCH_ATOMIC unsigned long long atomicSub(unsigned long long* address,
                                                unsigned long long value) {
  return atomicAdd(address, 0ull - value);
}
KERNELBATCH_ATOMIC long long atomicCAS(long long* address, long long compare, long long value) {
  return (long long)atomicCAS(reinterpret_cast<unsigned long long*>(address),
                              (unsigned long long)compare, (unsigned long long)value);
}
#undef KERNELBATCH_UPDATE
#undef KERNELBATCH_FLOAT_UPDATES
#undef KERNELBATCH_HALF_UPDATES
#undef KERNELBATCH_ATOMIC
