// Loads and stores with cache operators, address spaces, atomics of other scopes, clocks: what
// kernels ask of the memory system and of their warp, on the host, under CUDA's names.
// Asked for by: __ldca __ldcg __ldlu __ldcv __stwb __stcg __stwt __isGlobal __isShared __isLocal
// __isConstant __isGridConstant __isCtaShared __isClusterShared __cvta_* clock clock64 __brkpt
// __prof_trigger __assume __builtin_assume __uni_sync __match_all_sync __barrier_sync
// __barrier_sync_count
// __threadfence_cluster __nv_bswap16 __nv_bswap32 __nv_bswap64 __u128Atomic* __fns __urhadd
// atomicAdd_block atomicAdd_system atomicSub_* atomicMin_* atomicMax_* atomicExch_* atomicInc_*
// atomicDec_* atomicAnd_* atomicOr_* atomicXor_* atomicCAS_*.
#pragma once

#define KERNELBATCH_LOAD(name)            \
  template <class T>                      \
  KERNELBATCH_INLINE T name(const T* p) { \
    return *p;                            \
  }
KERNELBATCH_LOAD(__ldca)
KERNELBATCH_LOAD(__ldcg)
KERNELBATCH_LOAD(__ldlu)
#undef KERNELBATCH_LOAD
/// Reads memory anew.
template <class T>
KERNELBATCH_INLINE T __ldcv(const T* p) {
  asm volatile("" : : "r"(p) : "memory");
  return *p;
}
#define KERNELBATCH_STORE(name)                 \
  template <class T, class V>                   \
  KERNELBATCH_INLINE void name(T* p, V value) { \
    *p = value;                                 \
  }
KERNELBATCH_STORE(__stwb)
KERNELBATCH_STORE(__stcg)
KERNELBATCH_STORE(__stwt)
#undef KERNELBATCH_STORE

// ---- address spaces: one, here ------------------------------------------------------------------

namespace kernelbatch {
namespace detail {

/// Marks the thread-local storage of this library, where shared memory lives that is not dynamic.
static __thread char storage_mark;

inline bool is_near(const void* p, const void* mark, size_t bytes) {
  const auto a = reinterpret_cast<__UINTPTR_TYPE__>(p),
             b = reinterpret_cast<__UINTPTR_TYPE__>(mark);
  return (a < b ? b - a : a - b) < bytes;
}
inline bool is_shared(const void* p) {
  const auto* const dynamic = static_cast<const char*>(kernelbatch_host_thread->dynamic_shared);
  const auto* const at = static_cast<const char*>(p);
  if (dynamic != nullptr && at >= dynamic && at < dynamic + (227 << 10)) return true;
  return is_near(p, &storage_mark, 64 << 10);
}
/// On this thread's own stack.
inline bool is_local(const void* p) { return is_near(p, __builtin_frame_address(0), 256 << 10); }

}  // namespace detail
}  // namespace kernelbatch

inline unsigned __isShared(const void* p) { return kernelbatch::detail::is_shared(p); }
inline unsigned __isCtaShared(const void* p) { return kernelbatch::detail::is_shared(p); }
inline unsigned __isClusterShared(const void* p) { return kernelbatch::detail::is_shared(p); }
inline unsigned __isLocal(const void* p) {
  return !kernelbatch::detail::is_shared(p) && kernelbatch::detail::is_local(p);
}
/// Constants are plain variables of this library.
inline unsigned __isConstant(const void*) { return 0; }
inline unsigned __isGridConstant(const void*) { return 0; }
inline unsigned __isGlobal(const void* p) {
  return !kernelbatch::detail::is_shared(p) && !kernelbatch::detail::is_local(p);
}
// With the underscore: NVRTC takes `global` alone for its own, and tests look at all names here.
#define KERNELBATCH_SPACE(space)                                                                \
  inline size_t __cvta_generic_to##space(const void* p) { return reinterpret_cast<size_t>(p); } \
  inline void* __cvta##space##_to_generic(size_t p) { return reinterpret_cast<void*>(p); }
KERNELBATCH_SPACE(_global)
KERNELBATCH_SPACE(_shared)
KERNELBATCH_SPACE(_constant)
KERNELBATCH_SPACE(_local)
KERNELBATCH_SPACE(_grid_constant)
#undef KERNELBATCH_SPACE

// ---- atomics of every scope: those of a block are told of as such, and all are the system's ------------------------------------------

#define KERNELBATCH_WITHIN_block const kernelbatch_host::BlockScope within
#define KERNELBATCH_WITHIN_system
#define KERNELBATCH_SCOPED(name, scope)          \
  template <class T, class V>                    \
  inline T name##_##scope(T* address, V value) { \
    KERNELBATCH_WITHIN_##scope;                  \
    return name(address, value);                 \
  }
#define KERNELBATCH_SCOPES(scope)                              \
  KERNELBATCH_SCOPED(atomicAdd, scope)                         \
  KERNELBATCH_SCOPED(atomicSub, scope)                         \
  KERNELBATCH_SCOPED(atomicMin, scope)                         \
  KERNELBATCH_SCOPED(atomicMax, scope)                         \
  KERNELBATCH_SCOPED(atomicExch, scope)                        \
  KERNELBATCH_SCOPED(atomicAnd, scope)                         \
  KERNELBATCH_SCOPED(atomicOr, scope)                          \
  KERNELBATCH_SCOPED(atomicXor, scope)                         \
  KERNELBATCH_SCOPED(atomicInc, scope)                         \
  KERNELBATCH_SCOPED(atomicDec, scope)                         \
  template <class T, class U, class V>                         \
  inline T atomicCAS_##scope(T* address, U compare, V value) { \
    KERNELBATCH_WITHIN_##scope;                                \
    return atomicCAS(address, compare, value);                 \
  }
KERNELBATCH_SCOPES(block)
KERNELBATCH_SCOPES(system)
#undef KERNELBATCH_SCOPES
#undef KERNELBATCH_SCOPED
#undef KERNELBATCH_WITHIN_block
#undef KERNELBATCH_WITHIN_system

using __kernelbatch_uint128 = unsigned __int128;
#define KERNELBATCH_WIDE(end)                                                                      \
  inline __kernelbatch_uint128 __u128AtomicCAS##end(void* address, __kernelbatch_uint128 compare,  \
                                                    __kernelbatch_uint128 value) {                 \
    return atomicCAS(static_cast<__kernelbatch_uint128*>(address), compare, value);                \
  }                                                                                                \
  inline __kernelbatch_uint128 __u128AtomicExch##end(void* address, __kernelbatch_uint128 value) { \
    return atomicExch(static_cast<__kernelbatch_uint128*>(address), value);                        \
  }
KERNELBATCH_WIDE()
KERNELBATCH_WIDE(_block)
KERNELBATCH_WIDE(_system)
#undef KERNELBATCH_WIDE

// ---- clocks, hints, and what a warp agrees on ---------------------------------------------------

inline long long clock64() {
#if defined(__x86_64__)
  return static_cast<long long>(__builtin_ia32_rdtsc());
#elif defined(__aarch64__)
  long long ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  static __thread long long ticks;
  return ++ticks;
#endif
}
#ifndef KERNELBATCH_STANDARD_HEADERS
/// As the C library declares it, with CUDA's meaning: a text sees this one through the macro.
inline long __kernelbatch_clock() { return static_cast<long>(clock64()); }
#define clock __kernelbatch_clock
using clock_t = long;
#endif
inline void __brkpt() {}
inline void __prof_trigger(int) {}
inline void __threadfence_cluster() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
#define __assume(condition) ((condition) ? (void)0 : __builtin_unreachable())
#ifndef __clang__
#define __builtin_assume(condition) ((condition) ? (void)0 : __builtin_unreachable())
#endif
/// Whether the condition is the same in all lanes.
inline int __uni_sync(unsigned mask, int predicate) {
  const unsigned ballot = __ballot_sync(mask, predicate) & mask;
  return ballot == 0 || ballot == mask;
}
/// The mask where all lanes have the same value, else 0.
template <class T>
inline unsigned __match_all_sync(unsigned mask, T value, int* are_equal) {
  const bool all = __match_any_sync(mask, value) == mask;
  *are_equal = all;
  return all ? mask : 0;
}
inline void __barrier_sync(unsigned) { __syncthreads(); }

inline unsigned short __nv_bswap16(unsigned short x) { return __builtin_bswap16(x); }
inline unsigned __nv_bswap32(unsigned x) { return __builtin_bswap32(x); }
inline unsigned long long __nv_bswap64(unsigned long long x) { return __builtin_bswap64(x); }
inline unsigned __urhadd(unsigned x, unsigned y) {
  return static_cast<unsigned>((static_cast<unsigned long long>(x) + y + 1) >> 1);
}
/// Place of the bit that is the `offset`-th that is set, from `base` on, upwards or downwards.
inline unsigned __fns(unsigned mask, unsigned base, int offset) {
  if (offset == 0) return base < 32 && ((mask >> base) & 1u) ? base : 0xffffffffu;
  const int step = offset < 0 ? -1 : 1;
  int left = offset < 0 ? -offset : offset;
  for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step)
    if ((mask >> at) & 1u)
      if (--left == 0) return static_cast<unsigned>(at);
  return 0xffffffffu;
}
