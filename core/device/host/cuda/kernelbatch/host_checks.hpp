// What the compiler calls at every access (-fsanitize=thread) and wherever an index or an alignment
// is wrong (-fsanitize=bounds,alignment): it tells the host device's checks. The names are those
// that compilers call; no sanitizer's library is linked.
#pragma once

#include "kernelbatch/host_abi.hpp"

#define KERNELBATCH_CHECKS 1
#define KERNELBATCH_ATOMIC_ORDER __ATOMIC_RELAXED
/// An order that the text names: which accesses others may rely on.
#define KERNELBATCH_NAMED_ORDER(order) static_cast<int>(order)
#define KERNELBATCH_UNCHECKED __attribute__((no_sanitize("thread"), noinline))

namespace kernelbatch_host {

KERNELBATCH_UNCHECKED inline void report_access(const void* address, unsigned long bytes,
                                                unsigned flags, const void* place) {
  // While the library is loaded, no thread of a block runs.
  if (kernelbatch_host_thread != nullptr)
    kernelbatch_host_thread->operations->checks->access(address, bytes, flags, place);
}
/// Atomic operations and fences while it lives are for the threads of the block alone.
struct BlockScope {
  KERNELBATCH_UNCHECKED BlockScope() { kernelbatch_host_thread->atomic_scope = kAccessBlockScope; }
  KERNELBATCH_UNCHECKED ~BlockScope() { kernelbatch_host_thread->atomic_scope = 0; }
};
/// Around a barrier of ours, which is used again and again.
KERNELBATCH_UNCHECKED inline void report_arrival(const void* barrier, unsigned round) {
  kernelbatch_host_thread->operations->checks->arrive(barrier, round);
}
KERNELBATCH_UNCHECKED inline void report_leaving(const void* barrier, unsigned round) {
  kernelbatch_host_thread->operations->checks->go_on(barrier, round);
}
/// A first guess of what is there, before an atomic operation: no access of the kernel's.
template <class Word>
KERNELBATCH_UNCHECKED inline Word glance(const Word* word) {
  report_access(word, sizeof(Word), kAccessGuess | kAccessAtomic | kAccessReads | kAccessWrites,
                __builtin_return_address(0));
  return __atomic_load_n(word, __ATOMIC_RELAXED);
}
KERNELBATCH_UNCHECKED inline unsigned atomic_flags(int order) {
  unsigned flags = kAccessAtomic;
  if (kernelbatch_host_thread != nullptr) flags |= kernelbatch_host_thread->atomic_scope;
  if (order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST)
    flags |= kAccessReleases;
  if (order == __ATOMIC_ACQUIRE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST)
    flags |= kAccessAcquires;
  return flags;
}

}  // namespace kernelbatch_host

#define KERNELBATCH_TOLD(name, bytes, flags)                                             \
  extern "C" KERNELBATCH_UNCHECKED void name(void* address) {                            \
    kernelbatch_host::report_access(address, bytes, flags, __builtin_return_address(0)); \
  }
#define KERNELBATCH_TOLD_SIZE(bytes)                                                    \
  KERNELBATCH_TOLD(__tsan_read##bytes, bytes, kernelbatch_host::kAccessReads)           \
  KERNELBATCH_TOLD(__tsan_write##bytes, bytes, kernelbatch_host::kAccessWrites)         \
  KERNELBATCH_TOLD(__tsan_unaligned_read##bytes, bytes,                                 \
                   kernelbatch_host::kAccessReads | kernelbatch_host::kAccessAnyPlace)  \
  KERNELBATCH_TOLD(__tsan_unaligned_write##bytes, bytes,                                \
                   kernelbatch_host::kAccessWrites | kernelbatch_host::kAccessAnyPlace) \
  KERNELBATCH_TOLD(__tsan_volatile_read##bytes, bytes,                                  \
                   kernelbatch_host::kAccessReads | kernelbatch_host::kAccessVolatile)  \
  KERNELBATCH_TOLD(__tsan_volatile_write##bytes, bytes,                                 \
                   kernelbatch_host::kAccessWrites | kernelbatch_host::kAccessVolatile) \
  KERNELBATCH_TOLD(__tsan_unaligned_volatile_read##bytes, bytes,                        \
                   kernelbatch_host::kAccessReads | kernelbatch_host::kAccessVolatile)  \
  KERNELBATCH_TOLD(__tsan_unaligned_volatile_write##bytes, bytes,                       \
                   kernelbatch_host::kAccessWrites | kernelbatch_host::kAccessVolatile)
KERNELBATCH_TOLD_SIZE(1)
KERNELBATCH_TOLD_SIZE(2)
KERNELBATCH_TOLD_SIZE(4)
KERNELBATCH_TOLD_SIZE(8)
KERNELBATCH_TOLD_SIZE(16)
#undef KERNELBATCH_TOLD_SIZE
#undef KERNELBATCH_TOLD
extern "C" KERNELBATCH_UNCHECKED void __tsan_read_range(void* address, unsigned long bytes) {
  kernelbatch_host::report_access(
      address, bytes, kernelbatch_host::kAccessReads | kernelbatch_host::kAccessAnyPlace,
      __builtin_return_address(0));
}
extern "C" KERNELBATCH_UNCHECKED void __tsan_write_range(void* address, unsigned long bytes) {
  kernelbatch_host::report_access(
      address, bytes, kernelbatch_host::kAccessWrites | kernelbatch_host::kAccessAnyPlace,
      __builtin_return_address(0));
}
extern "C" KERNELBATCH_UNCHECKED void __tsan_init() {}
extern "C" KERNELBATCH_UNCHECKED void __tsan_func_entry(void* caller) {
  if (kernelbatch_host_thread != nullptr)
    kernelbatch_host_thread->operations->checks->enter(caller);
}
extern "C" KERNELBATCH_UNCHECKED void __tsan_func_exit() {
  if (kernelbatch_host_thread != nullptr) kernelbatch_host_thread->operations->checks->leave();
}
extern "C" KERNELBATCH_UNCHECKED void __tsan_vptr_update(void**, void*) {}
extern "C" KERNELBATCH_UNCHECKED void __tsan_vptr_read(void**) {}

// Atomic operations are told of and then done.
#define KERNELBATCH_TOLD_UPDATE(bits, T, name, builtin)                                         \
  extern "C" KERNELBATCH_UNCHECKED T __tsan_atomic##bits##_##name(volatile T* address, T value, \
                                                                  int order) {                  \
    kernelbatch_host::report_access(const_cast<T*>(address), sizeof(T),                         \
                                    kernelbatch_host::atomic_flags(order) |                     \
                                        kernelbatch_host::kAccessReads |                        \
                                        kernelbatch_host::kAccessWrites,                        \
                                    __builtin_return_address(0));                               \
    return builtin(address, value, __ATOMIC_SEQ_CST);                                           \
  }
#define KERNELBATCH_TOLD_EXCHANGE(bits, T, name)                                          \
  extern "C" KERNELBATCH_UNCHECKED int __tsan_atomic##bits##_compare_exchange_##name(     \
      volatile T* address, T* expected, T value, int order, int) {                        \
    kernelbatch_host::report_access(const_cast<T*>(address), sizeof(T),                   \
                                    kernelbatch_host::atomic_flags(order) |               \
                                        kernelbatch_host::kAccessReads |                  \
                                        kernelbatch_host::kAccessWrites,                  \
                                    __builtin_return_address(0));                         \
    return __atomic_compare_exchange_n(address, expected, value, false, __ATOMIC_SEQ_CST, \
                                       __ATOMIC_SEQ_CST);                                 \
  }
#define KERNELBATCH_TOLD_ATOMICS(bits, T)                                                         \
  extern "C" KERNELBATCH_UNCHECKED T __tsan_atomic##bits##_load(const volatile T* address,        \
                                                                int order) {                      \
    kernelbatch_host::report_access(                                                              \
        const_cast<T*>(address), sizeof(T),                                                       \
        kernelbatch_host::atomic_flags(order) | kernelbatch_host::kAccessReads,                   \
        __builtin_return_address(0));                                                             \
    return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                            \
  }                                                                                               \
  extern "C" KERNELBATCH_UNCHECKED void __tsan_atomic##bits##_store(volatile T* address, T value, \
                                                                    int order) {                  \
    kernelbatch_host::report_access(                                                              \
        const_cast<T*>(address), sizeof(T),                                                       \
        kernelbatch_host::atomic_flags(order) | kernelbatch_host::kAccessWrites,                  \
        __builtin_return_address(0));                                                             \
    __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                           \
  }                                                                                               \
  KERNELBATCH_TOLD_UPDATE(bits, T, exchange, __atomic_exchange_n)                                 \
  KERNELBATCH_TOLD_UPDATE(bits, T, fetch_add, __atomic_fetch_add)                                 \
  KERNELBATCH_TOLD_UPDATE(bits, T, fetch_sub, __atomic_fetch_sub)                                 \
  KERNELBATCH_TOLD_UPDATE(bits, T, fetch_and, __atomic_fetch_and)                                 \
  KERNELBATCH_TOLD_UPDATE(bits, T, fetch_or, __atomic_fetch_or)                                   \
  KERNELBATCH_TOLD_UPDATE(bits, T, fetch_xor, __atomic_fetch_xor)                                 \
  KERNELBATCH_TOLD_UPDATE(bits, T, fetch_nand, __atomic_fetch_nand)                               \
  KERNELBATCH_TOLD_EXCHANGE(bits, T, strong)                                                      \
  KERNELBATCH_TOLD_EXCHANGE(bits, T, weak)                                                        \
  extern "C" KERNELBATCH_UNCHECKED T __tsan_atomic##bits##_compare_exchange_val(                  \
      volatile T* address, T expected, T value, int order, int) {                                 \
    kernelbatch_host::report_access(const_cast<T*>(address), sizeof(T),                           \
                                    kernelbatch_host::atomic_flags(order) |                       \
                                        kernelbatch_host::kAccessReads |                          \
                                        kernelbatch_host::kAccessWrites,                          \
                                    __builtin_return_address(0));                                 \
    __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_SEQ_CST,               \
                                __ATOMIC_SEQ_CST);                                                \
    return expected;                                                                              \
  }
KERNELBATCH_TOLD_ATOMICS(8, unsigned char)
KERNELBATCH_TOLD_ATOMICS(16, unsigned short)
KERNELBATCH_TOLD_ATOMICS(32, unsigned)
KERNELBATCH_TOLD_ATOMICS(64, unsigned long long)
#undef KERNELBATCH_TOLD_ATOMICS
#undef KERNELBATCH_TOLD_EXCHANGE
#undef KERNELBATCH_TOLD_UPDATE
extern "C" KERNELBATCH_UNCHECKED unsigned __int128 __tsan_atomic128_compare_exchange_val(
    volatile unsigned __int128* address, unsigned __int128 expected, unsigned __int128 value,
    int order, int) {
  kernelbatch_host::report_access(const_cast<unsigned __int128*>(address), 16,
                                  kernelbatch_host::atomic_flags(order) |
                                      kernelbatch_host::kAccessReads |
                                      kernelbatch_host::kAccessWrites,
                                  __builtin_return_address(0));
  // Only one thread runs at a time.
  const unsigned __int128 before = *address;
  if (before == expected) *address = value;
  return before;
}
extern "C" KERNELBATCH_UNCHECKED void __tsan_atomic_thread_fence(int) {
  if (kernelbatch_host_thread != nullptr)
    kernelbatch_host_thread->operations->checks->fence(kernelbatch_host_thread->atomic_scope != 0);
}
extern "C" KERNELBATCH_UNCHECKED void __tsan_atomic_signal_fence(int) {}

// Copies that the compiler leaves to the C library are accesses, too.
extern "C" KERNELBATCH_UNCHECKED void* memcpy(void* to, const void* from,
                                              __SIZE_TYPE__ bytes) noexcept {
  if (bytes == 0) return to;
  const void* const place = __builtin_return_address(0);
  constexpr unsigned kAnyPlace = kernelbatch_host::kAccessAnyPlace;
  kernelbatch_host::report_access(from, bytes, kernelbatch_host::kAccessReads | kAnyPlace, place);
  kernelbatch_host::report_access(to, bytes, kernelbatch_host::kAccessWrites | kAnyPlace, place);
  for (__SIZE_TYPE__ k = 0; k < bytes; ++k) {
    static_cast<char*>(to)[k] = static_cast<const char*>(from)[k];
    asm volatile("" ::: "memory");  // or this would be a call of itself
  }
  return to;
}
extern "C" KERNELBATCH_UNCHECKED void* memset(void* to, int value, __SIZE_TYPE__ bytes) noexcept {
  if (bytes == 0) return to;
  kernelbatch_host::report_access(
      to, bytes, kernelbatch_host::kAccessWrites | kernelbatch_host::kAccessAnyPlace,
      __builtin_return_address(0));
  for (__SIZE_TYPE__ k = 0; k < bytes; ++k) {
    static_cast<char*>(to)[k] = static_cast<char>(value);
    asm volatile("" ::: "memory");
  }
  return to;
}

namespace kernelbatch_host {
/// The part of what the compiler passes that is read here.
struct IndexData {
  const char* file;
  unsigned line, column;
};
struct AlignmentData {
  const char* file;
  unsigned line, column;
  const void* type;
  unsigned char log_alignment, kind;
};
}  // namespace kernelbatch_host
extern "C" KERNELBATCH_UNCHECKED void __ubsan_handle_out_of_bounds(void*, unsigned long index) {
  if (kernelbatch_host_thread != nullptr)
    kernelbatch_host_thread->operations->checks->index_outside(static_cast<long long>(index),
                                                               __builtin_return_address(0));
}
extern "C" KERNELBATCH_UNCHECKED void __ubsan_handle_type_mismatch_v1(void* data,
                                                                      unsigned long address) {
  const auto* const what = static_cast<const kernelbatch_host::AlignmentData*>(data);
  if (kernelbatch_host_thread != nullptr)
    kernelbatch_host_thread->operations->checks->misaligned(reinterpret_cast<const void*>(address),
                                                            1ul << what->log_alignment,
                                                            __builtin_return_address(0));
}
