// Copies from memory to shared memory that go on while the thread does.
#pragma once

#include "kernelbatch/host_async.hpp"

namespace kernelbatch {

/// Begins to copy `Bytes` (4, 8 or 16) from and to addresses that are multiples of them.
template <int Bytes>
inline void begin_copy(void* to, const void* from) {
  __kernelbatch_begin_copy(to, from, Bytes, Bytes, Bytes);
}

struct alignas(16) sixteen_bytes {
  unsigned word[4];
};
inline sixteen_bytes read_16_bytes(const void* from) {
  sixteen_bytes value;
  memcpy(&value, from, sizeof value);
  return value;
}
inline void write_16_bytes(void* to, const sixteen_bytes& value) {
  memcpy(to, &value, sizeof value);
}

/// Waits for those that this thread began.
inline void finish_copies() {
  __kernelbatch_commit_copies();
  __kernelbatch_wait_copies(0);
}

/// Ends a group of copies.
inline void end_copies() { __kernelbatch_commit_copies(); }

/// Waits for those that this thread began, except for the last group.
inline void finish_older_copies() { __kernelbatch_wait_copies(1); }

}  // namespace kernelbatch
