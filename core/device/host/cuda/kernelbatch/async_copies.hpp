// Copies from memory to shared memory that go on while the thread does: here at once.
#pragma once

namespace kernelbatch {

/// Copies `Bytes` (4, 8 or 16).
template <int Bytes>
inline void begin_copy(void* to, const void* from) {
  memcpy(to, from, Bytes);
}

/// Waits for those that this thread began.
inline void finish_copies() {}

}  // namespace kernelbatch
