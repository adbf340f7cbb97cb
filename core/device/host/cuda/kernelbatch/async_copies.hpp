// Copies from memory to shared memory that go on while the thread does: here at once.
#pragma once

namespace kernelbatch {

/// Copies `Bytes` (4, 8 or 16).
template <int Bytes>
inline void begin_copy(void* to, const void* from) {
  memcpy(to, from, Bytes);
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
inline void finish_copies() {}

}  // namespace kernelbatch
