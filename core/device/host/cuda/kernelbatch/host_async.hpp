// Copies that go on while their thread does. The block that runs has them; they are complete after a
// wait.
#pragma once

/// `copied` of `bytes` come from the source, the others are zero.
inline void __kernelbatch_begin_copy(void* to, const void* from, size_t bytes, size_t copied,
                                     unsigned alignment, int kind = kernelbatch_host::kCopySmall,
                                     void* barrier = nullptr, unsigned round = 0) {
  if (bytes == 0 && copied == 0) return;
  const kernelbatch_host::AsyncCopy copy{to,      from,    bytes, copied < bytes || to == nullptr ? copied : bytes, alignment,
                                         kind, barrier, round};
  kernelbatch_host_thread->operations->begin_copy(copy);
}
/// A copy of a tensor's box; returns its bytes.
inline unsigned long __kernelbatch_begin_tensor_copy(const void* map, void* place, const int* at,
                                                     int axes, int action, int kind,
                                                     void* barrier = nullptr, unsigned round = 0) {
  kernelbatch_host::TensorCopy copy{map, place, {}, axes, action, kind, barrier, round};
  for (int axis = 0; axis < axes; ++axis) copy.at[axis] = at[axis];
  const char* error = nullptr;
  const unsigned long bytes = kernelbatch_host_thread->operations->begin_tensor_copy(copy, &error);
  if (error != nullptr) __kernelbatch_stop(error);
  return bytes;
}
inline void __kernelbatch_commit_copies(int kind = kernelbatch_host::kCopySmall) {
  kernelbatch_host_thread->operations->commit_copies(kind);
}
/// Waits for all groups except the newest `prior`.
inline void __kernelbatch_wait_copies(unsigned prior, int kind = kernelbatch_host::kCopySmall,
                                      bool of_sources = false) {
  kernelbatch_host_thread->operations->wait_copies(prior, kind, of_sources);
}
/// Around a wait at a barrier in memory: `round` is the barrier's.
inline void __kernelbatch_receive_copies(const void* barrier, unsigned round, bool has_passed) {
  kernelbatch_host_thread->operations->receive_copies(const_cast<void*>(barrier), round,
                                                      has_passed);
}
