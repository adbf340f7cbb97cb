// The prelude of kernels on CUDA: what generated, JIT-style and raw kernels may use on any device.
// Includes nothing from CUDA's C++ library: its headers would cost seconds per compile.
#pragma once

#define KERNELBATCH_ON_CUDA 1
#define KERNELBATCH_INLINE __device__ __forceinline__
#define KERNELBATCH_UNROLL _Pragma("unroll")
/// Says that the next loop is better left as it is: threads hide its latency, and it compiles
/// sooner.
#define KERNELBATCH_ROLLED _Pragma("unroll 1")

/// Makes the compiler compute what depends on an int again instead of keeping it in registers.
#define KERNELBATCH_RECOMPUTE(name) asm volatile("" : "+r"(name))

/// Walks 0…count−1 with every thread of the grid.
#define KERNELBATCH_FOR(Index, name, count)                                           \
  for (Index name = static_cast<Index>(blockIdx.x) * static_cast<Index>(blockDim.x) + \
                    static_cast<Index>(threadIdx.x);                                  \
       name < (count); name += static_cast<Index>(gridDim.x) * static_cast<Index>(blockDim.x))
/// Says that iterations of the next loop do not depend on each other.
#define KERNELBATCH_INDEPENDENT

#ifdef __CUDACC_RTC__
#define NAN __int_as_float(0x7fffffff)
#define INFINITY __int_as_float(0x7f800000)
#endif
// As math_constants.h has them, which a text may include as well.
#define CUDART_INF_F __int_as_float(0x7f800000U)
#define CUDART_NAN_F __int_as_float(0x7fffffffU)
#define CUDART_INF __longlong_as_double(0x7ff0000000000000ULL)
#define CUDART_NAN __longlong_as_double(0xfff8000000000000ULL)
#define CUDART_PI_F 3.141592654F
#define CUDART_PI 3.1415926535897931e+0

namespace kernelbatch {

/// The value, which the compiler keeps in a register: it does not compute it again.
KERNELBATCH_INLINE int held(int value) {
  KERNELBATCH_RECOMPUTE(value);
  return value;
}
/// The same for a pointer into device memory.
template <class T>
KERNELBATCH_INLINE T* held(T* pointer) {
  unsigned long long address = __cvta_generic_to_global(pointer);
  asm volatile("" : "+l"(address));
  return static_cast<T*>(__cvta_global_to_generic(address));
}

namespace detail {

template <class T>
struct remove_const {
  using type = T;
};
template <class T>
struct remove_const<const T> {
  using type = T;
};
template <class From, class To>
struct copy_const {
  using type = To;
};
template <class From, class To>
struct copy_const<const From, To> {
  using type = const To;
};

KERNELBATCH_INLINE unsigned float_bits(float value) { return __float_as_uint(value); }
KERNELBATCH_INLINE float bits_float(unsigned bits) { return __uint_as_float(bits); }
KERNELBATCH_INLINE float half_to_float(unsigned short bits) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
}
KERNELBATCH_INLINE unsigned short float_to_half(float value) {
  unsigned short bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
}

KERNELBATCH_INLINE unsigned short float_to_bfloat(float value) {
#if __CUDA_ARCH__ >= 800
  unsigned short bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
#else
  const unsigned pattern = __float_as_uint(value);
  return value != value
             ? static_cast<unsigned short>((pattern >> 16) | 0x40u)
             : static_cast<unsigned short>((pattern + 0x7fffu + ((pattern >> 16) & 1u)) >> 16);
#endif
}
}  // namespace detail

/// The larger or the smaller number; NaN where one of them is.
KERNELBATCH_INLINE float larger_or_nan(float a, float b) {
#if __CUDA_ARCH__ >= 800
  float result;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
#else
  return a != a ? a : b != b ? b : a < b ? b : a;
#endif
}
KERNELBATCH_INLINE float smaller_or_nan(float a, float b) {
#if __CUDA_ARCH__ >= 800
  float result;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
#else
  return a != a ? a : b != b ? b : b < a ? b : a;
#endif
}

/// Threads of a grid of 1, 2 or 3 axes: this thread's place, and how many there are.
KERNELBATCH_INLINE long long grid_index() {
  return static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
}
KERNELBATCH_INLINE long long grid_size() { return static_cast<long long>(gridDim.x) * blockDim.x; }

namespace detail {
/// Applies `exchange` to a value of any trivially copyable type, 32 bits at a time.
template <class T, class Exchange>
KERNELBATCH_INLINE T exchange_words(const T& value, Exchange exchange) {
  constexpr bool is_whole = sizeof(T) % 4 == 0;
  union Words {
    T value;
    unsigned word[is_whole ? sizeof(T) / 4 : 1];
    unsigned char byte[sizeof(T)];
    __device__ Words() {}
  } words;
  words.value = value;
  KERNELBATCH_UNROLL
  for (int k = 0; k < int(is_whole ? sizeof(T) / 4 : sizeof(T)); ++k) {
    if constexpr (is_whole)
      words.word[k] = exchange(words.word[k]);
    else
      words.byte[k] = static_cast<unsigned char>(exchange(static_cast<unsigned>(words.byte[k])));
  }
  return words.value;
}
}  // namespace detail

/// The value of the lane `distance` further up.
template <class T>
KERNELBATCH_INLINE T shuffle_down(unsigned mask, const T& value, int distance, int width) {
  return detail::exchange_words(value, [=](unsigned word) {
    return __shfl_down_sync(mask, word, static_cast<unsigned>(distance), width);
  });
}
/// The value of the lane whose number differs by the bits of `lanes`.
template <class T>
KERNELBATCH_INLINE T shuffle_across(unsigned mask, const T& value, int lanes) {
  return detail::exchange_words(
      value, [=](unsigned word) { return __shfl_xor_sync(mask, word, lanes, 32); });
}

/// Makes this thread's writes visible to the whole device before later ones.
KERNELBATCH_INLINE void device_fence() { __threadfence(); }

/// Counts one up, for the whole device, and gives what was there before.
KERNELBATCH_INLINE unsigned take_ticket(unsigned* count) { return atomicAdd(count, 1u); }

}  // namespace kernelbatch

#include "kernelbatch/common.hpp"
