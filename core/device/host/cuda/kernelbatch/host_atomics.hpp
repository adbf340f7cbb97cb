// Atomic operations for kernels on the host, under CUDA's names. Blocks run on several threads, so
// these are real atomics.
#pragma once

namespace kernelbatch {
namespace detail {

template <int Bytes>
struct word_of;
template <>
struct word_of<1> {
  using type = unsigned char;
};
template <>
struct word_of<2> {
  using type = unsigned short;
};
template <>
struct word_of<4> {
  using type = unsigned;
};
template <>
struct word_of<8> {
  using type = unsigned long long;
};
template <>
struct word_of<16> {
  using type = unsigned __int128;
};

/// Replaces *address by change(*address) in one step; gives the old value.
template <class T, class Change>
inline T atomic_update(T* address, Change change) {
  using Word = typename word_of<sizeof(T)>::type;
  if constexpr (sizeof(T) == 16) {  // the builtins of this size would be calls of a library
    auto* const wide = reinterpret_cast<Word*>(address);
    Word seen = *wide;
    for (;;) {
      const T before = __builtin_bit_cast(T, seen);
      const Word was =
          __sync_val_compare_and_swap(wide, seen, __builtin_bit_cast(Word, change(before)));
      if (was == seen) return before;
      seen = was;
    }
  } else {
    auto* word = reinterpret_cast<Word*>(address);
    Word old = kernelbatch_host::glance(word);
    for (;;) {
      const T before = __builtin_bit_cast(T, old);
      const T after = change(before);
      if (__atomic_compare_exchange_n(word, &old, __builtin_bit_cast(Word, after), true,
                                      KERNELBATCH_ATOMIC_ORDER, __ATOMIC_RELAXED))
        return before;
    }
  }
}

}  // namespace detail
}  // namespace kernelbatch

#define KERNELBATCH_ATOMIC(name, expression)                                                  \
  template <class T, class V>                                                                 \
  inline T name(T* address, V other) {                                                        \
    const T b = static_cast<T>(other);                                                        \
    return kernelbatch::detail::atomic_update(address, [b](T a) -> T { return expression; }); \
  }
KERNELBATCH_ATOMIC(atomicAdd, static_cast<T>(a + b))
KERNELBATCH_ATOMIC(atomicSub, static_cast<T>(a - b))
// NaN loses against a number, as in fmin and fmax.
KERNELBATCH_ATOMIC(atomicMin, a != a || b < a ? b : a)
KERNELBATCH_ATOMIC(atomicMax, a != a || a < b ? b : a)
KERNELBATCH_ATOMIC(atomicExch, b)
KERNELBATCH_ATOMIC(atomicAnd, static_cast<T>(a& b))
KERNELBATCH_ATOMIC(atomicOr, static_cast<T>(a | b))
KERNELBATCH_ATOMIC(atomicXor, static_cast<T>(a ^ b))
KERNELBATCH_ATOMIC(atomicInc, a >= b ? T(0) : static_cast<T>(a + 1))
KERNELBATCH_ATOMIC(atomicDec, (a == T(0) || a > b) ? b : static_cast<T>(a - 1))
#undef KERNELBATCH_ATOMIC

template <class T, class U, class V>
inline T atomicCAS(T* address, U compare, V value) {
  using Word = typename kernelbatch::detail::word_of<sizeof(T)>::type;
  Word expected = __builtin_bit_cast(Word, static_cast<T>(compare));
  if constexpr (sizeof(T) == 16)
    return __builtin_bit_cast(
        T, __sync_val_compare_and_swap(reinterpret_cast<Word*>(address), expected,
                                       __builtin_bit_cast(Word, static_cast<T>(value))));
  else
    __atomic_compare_exchange_n(reinterpret_cast<Word*>(address), &expected,
                                __builtin_bit_cast(Word, static_cast<T>(value)), false,
                                KERNELBATCH_ATOMIC_ORDER, KERNELBATCH_ATOMIC_ORDER);
  return __builtin_bit_cast(T, expected);
}
// Of the elements one by one, as on a GPU.
inline float2 atomicAdd(float2* address, float2 value) {
  return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)};
}
inline float4 atomicAdd(float4* address, float4 value) {
  return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y),
          atomicAdd(&address->z, value.z), atomicAdd(&address->w, value.w)};
}
