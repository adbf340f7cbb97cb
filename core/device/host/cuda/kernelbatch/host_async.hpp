// Copies that go on while their thread does. The block that runs has them; they are complete after a
// wait.
#pragma once

/// `copied` of `bytes` come from the source, the others are zero.
inline void __kernelbatch_begin_copy(void* to, const void* from, size_t bytes, size_t copied,
                                     unsigned alignment, bool is_bulk = false,
                                     void* barrier = nullptr, unsigned round = 0) {
  if (bytes == 0) return;
  const kernelbatch_host::AsyncCopy copy{to,      from,    bytes, copied < bytes ? copied : bytes, alignment,
                                         is_bulk, barrier, round};
  kernelbatch_host_thread->operations->begin_copy(copy);
}
inline void __kernelbatch_commit_copies(bool is_bulk = false) {
  kernelbatch_host_thread->operations->commit_copies(is_bulk);
}
/// Waits for all groups except the newest `prior`.
inline void __kernelbatch_wait_copies(unsigned prior, bool is_bulk = false,
                                      bool of_sources = false) {
  kernelbatch_host_thread->operations->wait_copies(prior, is_bulk, of_sources);
}
/// Around a wait at a barrier in memory: `round` is the barrier's.
inline void __kernelbatch_receive_copies(const void* barrier, unsigned round, bool has_passed) {
  kernelbatch_host_thread->operations->receive_copies(const_cast<void*>(barrier), round,
                                                      has_passed);
}
