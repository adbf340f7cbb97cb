// Asked for by: __kernelbatch_ptx_copy __kernelbatch_ptx_mbarrier* __kernelbatch_ptx_copies*.
// PTX's asynchronous copies and mbarriers.
#pragma once

#include "kernelbatch/host_async.hpp"

/// cp.async: `bytes` are written, `from_source` of them copied and the rest zero.
inline void __kernelbatch_ptx_copy(char* to, const char* from, unsigned bytes,
                                   unsigned from_source) {
  __kernelbatch_begin_copy(to, from, bytes, from_source, bytes);
}
/// cp.async.bulk; without a barrier it belongs to a group.
inline void __kernelbatch_ptx_copy_bulk(char* to, const char* from, unsigned bytes,
                                        char* barrier) {
  __kernelbatch_begin_copy(to, from, bytes, bytes, 16, kernelbatch_host::kCopyBulk, barrier);
}
inline void __kernelbatch_ptx_copies_commit(int kind) { __kernelbatch_commit_copies(kind); }
inline void __kernelbatch_ptx_copies_wait(unsigned prior, int kind, bool of_sources) {
  __kernelbatch_wait_copies(prior, kind, of_sources);
}
inline void __kernelbatch_ptx_copies_wait_all() {
  __kernelbatch_commit_copies();
  __kernelbatch_wait_copies(0);
}

inline unsigned long long __kernelbatch_ptx_mbarrier(kernelbatch_host::MbarrierAction action,
                                                     char* at, unsigned long long value) {
  return kernelbatch_host_thread->operations->mbarrier(action, at, value);
}
inline void __kernelbatch_ptx_mbarrier_init(char* at, unsigned count) {
  __kernelbatch_ptx_mbarrier(kernelbatch_host::kMbarrierInit, at, count);
}
inline unsigned long long __kernelbatch_ptx_mbarrier_arrive(char* at, unsigned count) {
  return __kernelbatch_ptx_mbarrier(kernelbatch_host::kMbarrierArrive, at, count);
}
inline unsigned long long __kernelbatch_ptx_mbarrier_drop(char* at, unsigned count) {
  return __kernelbatch_ptx_mbarrier(kernelbatch_host::kMbarrierDrop, at, count);
}
inline void __kernelbatch_ptx_mbarrier_expect(char* at, unsigned bytes) {
  __kernelbatch_ptx_mbarrier(kernelbatch_host::kMbarrierExpect, at, bytes);
}
inline void __kernelbatch_ptx_mbarrier_complete(char* at, unsigned bytes) {
  __kernelbatch_ptx_mbarrier(kernelbatch_host::kMbarrierComplete, at, bytes);
}
/// Whether the phase has passed: of a state that arrive gave, or of this parity.
inline bool __kernelbatch_ptx_mbarrier_wait(char* at, unsigned long long phase, bool is_parity) {
  return __kernelbatch_ptx_mbarrier(is_parity ? kernelbatch_host::kMbarrierTestParity
                                              : kernelbatch_host::kMbarrierTest,
                                    at, phase) != 0;
}
/// An arrival when the thread's copies so far are complete. Without `counted` the barrier does not
/// expect it.
inline void __kernelbatch_ptx_mbarrier_arrive_copies(char* at, bool is_counted) {
  kernelbatch_host_thread->operations->bind_copies(at, 0, true, is_counted);
}
