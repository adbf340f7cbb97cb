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

}  // namespace kernelbatch
