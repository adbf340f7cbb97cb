// The blocks of a cluster, along x: their barrier, and the shared memory of each other.
#pragma once

namespace kernelbatch {

/// Waits for all threads of the cluster; what they wrote to shared memory before is seen after.
KERNELBATCH_INLINE void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
}

/// What is at `mine` of this block's shared memory, in that of the cluster's block `rank`.
template <class T>
KERNELBATCH_INLINE T* cluster_pointer(T* mine, int rank) {
  T* theirs;
  asm("mapa.u64 %0, %1, %2;" : "=l"(theirs) : "l"(mine), "r"(rank));
  return theirs;
}

/// In shared memory: exchanges a value of each block of a cluster without its barrier, which would
/// wait for earlier writes to memory, too.
struct cluster_exchange {
  unsigned long long ready[2];

  /// By one thread; the cluster's barrier must follow.
  KERNELBATCH_INLINE void begin() {
    for (int k = 0; k < 2; ++k)
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(ready + k)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  /// Writes this block's value to `all[rank]` of each block; afterwards, a block sees all. `number`
  /// counts exchanges; two that follow each other need different memory.
  template <int Blocks, class T>
  KERNELBATCH_INLINE void exchange(T* all, const T& value, int rank, int number) {
    const int thread = static_cast<int>(threadIdx.x);
    // The barrier of two blocks is as fast.
    if constexpr (Blocks == 2 || sizeof(T) % 4 != 0) {
      if (thread < Blocks) *cluster_pointer(all + rank, thread) = value;
      cluster_sync();
      return;
    }
    const unsigned barrier = address(ready + (number & 1));
    if (thread == 0)
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                   "n"(Blocks * sizeof(T))
                   : "memory");
    if (thread < Blocks) {
      unsigned word[(sizeof(T) + 3) / 4], to, signal;
      memcpy(word, &value, sizeof(T));
      asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(address(all + rank)), "r"(thread));
      asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(signal) : "r"(barrier), "r"(thread));
      KERNELBATCH_UNROLL
      for (unsigned k = 0; k < sizeof(T) / 4; ++k)
        asm volatile(
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(
                to + 4 * k),
            "r"(word[k]), "r"(signal)
            : "memory");
    }
    unsigned is_done = 0;
    while (is_done == 0)
      asm volatile(
          "{\n\t.reg .pred done;\n\t"
          "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%1], %2;\n\t"
          "selp.u32 %0, 1, 0, done;\n\t}"
          : "=r"(is_done)
          : "r"(barrier), "r"((number >> 1) & 1)
          : "memory");
  }

 private:
  KERNELBATCH_INLINE static unsigned address(const void* at) {
    return static_cast<unsigned>(__cvta_generic_to_shared(at));
  }
};

}  // namespace kernelbatch
