// Asynchronous copies by their plain functions, on the host device.
#pragma once

#include "kernelbatch/host_async.hpp"

inline void __pipeline_memcpy_async(void* to, const void* from, size_t bytes, size_t zeros = 0) {
  __kernelbatch_begin_copy(to, from, bytes, bytes - zeros, unsigned(bytes));
}
inline void __pipeline_commit() { __kernelbatch_commit_copies(); }
inline void __pipeline_wait_prior(size_t prior) { __kernelbatch_wait_copies(unsigned(prior)); }
/// The thread's copies so far complete at the barrier.
template <class Barrier>
inline void __pipeline_arrive_on(Barrier* barrier) {
  barrier->bind_copies();
}
