// The prelude of kernels on the host: CUDA's device language in plain C++, with no standard header
// (reading one would cost more than compiling the kernel).
#pragma once

#include "kernelbatch/host_abi.hpp"

#define KERNELBATCH_ON_HOST 1
#ifndef KERNELBATCH_CHECKS
#define KERNELBATCH_UNCHECKED inline
// CUDA's atomic functions order nothing; what they mean on the host need not be told from that.
#define KERNELBATCH_ATOMIC_ORDER __ATOMIC_SEQ_CST
#define KERNELBATCH_NAMED_ORDER(order) __ATOMIC_SEQ_CST
namespace kernelbatch_host {
struct BlockScope {
  constexpr BlockScope() {}
};
inline void report_arrival(const void*, unsigned) {}
inline void report_leaving(const void*, unsigned) {}
template <class Word>
inline Word glance(const Word* word) {
  return __atomic_load_n(word, __ATOMIC_RELAXED);
}
}  // namespace kernelbatch_host
#endif
#define KERNELBATCH_INLINE inline __attribute__((__always_inline__))
#define KERNELBATCH_UNROLL _Pragma("GCC unroll 16")
#define KERNELBATCH_ROLLED
#define KERNELBATCH_RECOMPUTE(name)

// As NVRTC has them for an sm_90; a C++ reference is no kernel.
#ifndef KERNELBATCH_STANDARD_HEADERS
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 900
#endif
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#endif

#define __global__
#define __managed__
#define __inline_hint__ inline
#define __maxnreg__(...)
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline __attribute__((__always_inline__))
#ifndef KERNELBATCH_STANDARD_HEADERS  // those of g++ 13 write __attribute__((__noinline__))
#define __noinline__ __attribute__((__noinline__))
#endif
#ifdef KERNELBATCH_CHECKS  // also a variable that no statement writes is read, not taken for zero
#define __shared__ static __thread __attribute__((__used__))
#else
#define __shared__ static __thread
#endif
#define __restrict__ __restrict
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) __attribute__((__aligned__(n)))

using size_t = decltype(sizeof(0));
using ptrdiff_t = decltype(static_cast<char*>(nullptr) - static_cast<char*>(nullptr));

#ifndef NULL
#define NULL __null
#endif
extern "C" int printf(const char*, ...);
extern "C" void abort() noexcept;
extern "C" void* memcpy(void*, const void*, size_t) noexcept;
extern "C" void* memset(void*, int, size_t) noexcept;

// ---- where a thread is
// ---------------------------------------------------------------------------

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1) : x(vx), y(vy), z(vz) {}
};
// What these and the other macros become stands in the user's text, where the user's own macros are
// in force: reserved names alone.
#ifdef KERNELBATCH_CHECKS  // a call, of which nothing is told
#define KERNELBATCH_PLACE(function, member)                          \
  KERNELBATCH_UNCHECKED inline kernelbatch_host::Index3 function() { \
    return kernelbatch_host_thread->member;                          \
  }
#else
#define KERNELBATCH_PLACE(function, member)                       \
  KERNELBATCH_INLINE const kernelbatch_host::Index3& function() { \
    return kernelbatch_host_thread->member;                       \
  }
#endif
KERNELBATCH_PLACE(__kernelbatch_thread, thread_index)
KERNELBATCH_PLACE(__kernelbatch_block, block_index)
KERNELBATCH_PLACE(__kernelbatch_block_dim, block_dim)
KERNELBATCH_PLACE(__kernelbatch_grid_dim, grid_dim)
KERNELBATCH_PLACE(__kernelbatch_cluster_dim, cluster_dim)
KERNELBATCH_PLACE(__kernelbatch_cluster_index, cluster_index)
#undef KERNELBATCH_PLACE
KERNELBATCH_INLINE void* __kernelbatch_shared() { return kernelbatch_host_thread->dynamic_shared; }
#define threadIdx (__kernelbatch_thread())
#define blockIdx (__kernelbatch_block())
#define blockDim (__kernelbatch_block_dim())
#define gridDim (__kernelbatch_grid_dim())
static constexpr int warpSize = 32;

/// `extern __shared__ T name[];` becomes this.
#define KERNELBATCH_DYNAMIC_SHARED(T, name) \
  T* const name = reinterpret_cast<T*>(__kernelbatch_shared())
/// Or this, where a reference to what lies there is made of the name.
#define KERNELBATCH_DYNAMIC_SHARED_ARRAY(T, name) \
  T(&name)[] = *reinterpret_cast<T(*)[]>(__kernelbatch_shared())

/// Or this, where it stands outside of functions: a pointer of each CPU thread, given its value
/// when a thread of a block begins.
#define KERNELBATCH_FILE_SHARED(T, name)                               \
  static __thread T* name __asm__("__kernelbatch_" #name) = nullptr;   \
  static const __kernelbatch_file_shared __kernelbatch_shared_##name { \
    [] { name = reinterpret_cast<T*>(__kernelbatch_shared()); }        \
  }
struct __kernelbatch_file_shared {
  void (*set)();
  const __kernelbatch_file_shared* next;
  // Not beside a variable of the text: who writes past the end of that does not meet this one.
  alignas(64) static inline const __kernelbatch_file_shared* first = nullptr;
  explicit __kernelbatch_file_shared(void (*function)()) : set(function), next(first) {
    first = this;
  }
  static void set_all() {
    for (const auto* each = first; each; each = each->next) each->set();
  }
};

/// A generated loop has one thread per block here, and each block processes a contiguous piece, so
/// that the compiler sees a plain loop.
#define KERNELBATCH_FOR(Index, name, count)                                         \
  for (Index name = kernelbatch::detail::piece<Index>(count, blockIdx.x),           \
             name##_end = kernelbatch::detail::piece<Index>(count, blockIdx.x + 1); \
       name < name##_end; ++name)
#define KERNELBATCH_INDEPENDENT _Pragma("GCC ivdep")

// ---- barriers and warp operations
// -------------------------------------------------------------------

inline void __syncthreads() {
  kernelbatch_host_thread->operations->barrier(kernelbatch_host::kBarrierPlain, 0);
}
inline int __syncthreads_count(int predicate) {
  return kernelbatch_host_thread->operations->barrier(kernelbatch_host::kBarrierCount, predicate);
}
inline int __syncthreads_and(int predicate) {
  return kernelbatch_host_thread->operations->barrier(kernelbatch_host::kBarrierAnd, predicate);
}
inline int __syncthreads_or(int predicate) {
  return kernelbatch_host_thread->operations->barrier(kernelbatch_host::kBarrierOr, predicate);
}
inline void __syncwarp(unsigned mask = 0xffffffffu) {
  kernelbatch_host_thread->operations->warp_exchange(mask, 0);
}
/// For loops that wait for another thread: it cannot go on by itself.
inline void __kernelbatch_yield() { kernelbatch_host_thread->operations->yield(); }
/// The lanes that have come to this place of the text: each waits for the others until those can go
/// on no further.
KERNELBATCH_INLINE unsigned __activemask() {
  return kernelbatch_host_thread->operations->active_mask();
}
/// Barriers beyond the block, for cooperative groups and PTX.
inline void __kernelbatch_cluster_arrive() {
  kernelbatch_host_thread->operations->spread_arrive(kernelbatch_host::kScopeCluster);
}
inline void __kernelbatch_cluster_wait() {
  kernelbatch_host_thread->operations->spread_wait(kernelbatch_host::kScopeCluster);
}
inline void __kernelbatch_grid_arrive() {
  kernelbatch_host_thread->operations->spread_arrive(kernelbatch_host::kScopeGrid);
}
inline void __kernelbatch_grid_wait() {
  kernelbatch_host_thread->operations->spread_wait(kernelbatch_host::kScopeGrid);
}
inline void __kernelbatch_grid_sync() {
  __kernelbatch_grid_arrive();
  __kernelbatch_grid_wait();
}
inline void* __kernelbatch_map_shared(const void* mine, unsigned rank) {
  return kernelbatch_host_thread->operations->spread_shared(mine, rank);
}
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() {
  const kernelbatch_host::BlockScope within;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
[[noreturn]] inline void __trap() { __builtin_trap(); }
inline void __nanosleep(unsigned) {}
/// Ends the kernel with a message.
[[noreturn]] inline void __kernelbatch_stop(const char* reason) {
  printf("block (%u,%u,%u), thread (%u,%u,%u): %s\n", blockIdx.x, blockIdx.y, blockIdx.z,
         threadIdx.x, threadIdx.y, threadIdx.z, reason);
  abort();
}
[[noreturn]] inline void __kernelbatch_fail(const char* file, int line, const char* condition) {
  printf("%s:%d: block (%u,%u,%u), thread (%u,%u,%u): assertion `%s` failed\n", file, line,
         blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z, condition);
  abort();
}
#define assert(condition) \
  ((condition) ? (void)0 : __kernelbatch_fail(__FILE__, __LINE__, #condition))

namespace kernelbatch {

template <class T>
KERNELBATCH_INLINE T held(T value) {
  return value;
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

template <class Index>
KERNELBATCH_INLINE Index piece(Index count, unsigned block) {
  const unsigned long long blocks = gridDim.x;
  const unsigned long long each = (static_cast<unsigned long long>(count) + blocks - 1) / blocks;
  const unsigned long long begin = each * block;
  return begin < static_cast<unsigned long long>(count) ? static_cast<Index>(begin) : count;
}

KERNELBATCH_INLINE unsigned lane() { return kernelbatch_host_thread->linear_thread & 31u; }
template <class T>
KERNELBATCH_INLINE unsigned long long to_word(const T& value) {
  static_assert(sizeof(T) <= 8, "a warp exchanges values of at most 8 bytes");
  unsigned long long word = 0;
  memcpy(&word, &value, sizeof(T));
  return word;
}
template <class T>
KERNELBATCH_INLINE T from_word(unsigned long long word) {
  T value;
  memcpy(&value, &word, sizeof(T));
  return value;
}
/// A lane that did not take part gives an undefined value on a GPU; here the caller's own.
template <class T>
KERNELBATCH_INLINE T pick(const kernelbatch_host::WarpValues& warp, int source, const T& own) {
  if (source < 0 || source > 31 || ((warp.arrived >> source) & 1u) == 0) return own;
  return from_word<T>(warp.value[source]);
}
template <class T>
KERNELBATCH_INLINE kernelbatch_host::WarpValues exchange(unsigned mask, const T& value) {
  return kernelbatch_host_thread->operations->warp_exchange(mask, to_word(value));
}

KERNELBATCH_INLINE unsigned float_bits(float value) { return __builtin_bit_cast(unsigned, value); }
KERNELBATCH_INLINE float bits_float(unsigned bits) { return __builtin_bit_cast(float, bits); }
inline float half_to_float(unsigned short bits) {
  const unsigned sign = static_cast<unsigned>(bits & 0x8000u) << 16;
  const unsigned exponent = (bits >> 10) & 0x1fu;
  const unsigned mantissa = bits & 0x3ffu;
  if (exponent == 0x1f) return bits_float(sign | 0x7f800000u | (mantissa << 13));
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  return bits_float(sign | ((exponent + 112) << 23) | (mantissa << 13));
}
inline unsigned short float_to_half(float value) {
  const unsigned pattern = float_bits(value);
  const unsigned sign = (pattern >> 16) & 0x8000u;
  const unsigned magnitude = pattern & 0x7fffffffu;
  if (magnitude > 0x7f800000u)
    return static_cast<unsigned short>(sign | 0x7e00u | ((magnitude >> 13) & 0x1ffu));
  if (magnitude >= 0x477ff000u) return static_cast<unsigned short>(sign | 0x7c00u);
  if (magnitude <
      0x38800000u) {  // below the smallest normal: multiples of 2^-24, rounded by the adder
    const float shifted = bits_float(magnitude) + 0.5f;
    return static_cast<unsigned short>(sign | (float_bits(shifted) - 0x3f000000u));
  }
  const unsigned rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
  return static_cast<unsigned short>(sign | ((rounded - 0x38000000u) >> 13));
}
inline unsigned short float_to_bfloat(float value) {
  const unsigned pattern = float_bits(value);
  return value != value
             ? static_cast<unsigned short>((pattern >> 16) | 0x40u)
             : static_cast<unsigned short>((pattern + 0x7fffu + ((pattern >> 16) & 1u)) >> 16);
}

}  // namespace detail

KERNELBATCH_INLINE long long grid_index() {
  return static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
}
KERNELBATCH_INLINE long long grid_size() { return static_cast<long long>(gridDim.x) * blockDim.x; }
KERNELBATCH_INLINE void device_fence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
KERNELBATCH_INLINE unsigned take_ticket(unsigned* count) {
  return __atomic_fetch_add(count, 1u, KERNELBATCH_ATOMIC_ORDER);
}

}  // namespace kernelbatch

#include "kernelbatch/host_warp.hpp"

// In this order: common.hpp uses what the other two declare.
// clang-format off
#include "kernelbatch/host_math.hpp"
#include "kernelbatch/host_atomics.hpp"
#include "kernelbatch/common.hpp"
// clang-format on

#include "kernelbatch/host_entry.hpp"

// CUDA allows `__shared__ alignas(16) float tile[64];`, C++ wants alignas first; an attribute may
// stand in both places.
#define alignas(n) __attribute__((__aligned__(n)))
