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

/// Waits for those that this thread began: it sees what they copied.
KERNELBATCH_INLINE void finish_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

}  // namespace kernelbatch
