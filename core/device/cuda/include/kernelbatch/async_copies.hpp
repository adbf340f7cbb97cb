// Copies from memory to shared memory that go on while the thread does.
#pragma once

namespace kernelbatch {

/// Begins to copy `Bytes` (4, 8 or 16) from and to addresses that are multiples of them.
template <int Bytes>
KERNELBATCH_INLINE void begin_copy(void* to, const void* from) {
#if __CUDA_ARCH__ >= 800
  const unsigned place = static_cast<unsigned>(__cvta_generic_to_shared(to));
  if constexpr (Bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(place), "l"(from), "n"(Bytes)
                 : "memory");
#else
  struct alignas(Bytes) word {
    unsigned char byte[Bytes];
  };
  *static_cast<word*>(to) = *static_cast<const word*>(from);
#endif
}

/// 16 bytes at an address that is a multiple of 16. Copied packs of smaller elements would be stored
/// element by element.
struct alignas(16) sixteen_bytes {
  unsigned word[4];
};
KERNELBATCH_INLINE sixteen_bytes read_16_bytes(const void* from) {
  return *static_cast<const sixteen_bytes*>(from);
}
KERNELBATCH_INLINE void write_16_bytes(void* to, const sixteen_bytes& value) {
  asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(value.word[0]),
               "r"(value.word[1]), "r"(value.word[2]), "r"(value.word[3])
               : "memory");
}

/// Waits for those that this thread began: it sees what they copied.
KERNELBATCH_INLINE void finish_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/// Ends a group of copies.
KERNELBATCH_INLINE void end_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits for those that this thread began, except for the last group.
KERNELBATCH_INLINE void finish_older_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group 1;" ::: "memory");
#endif
}

}  // namespace kernelbatch
