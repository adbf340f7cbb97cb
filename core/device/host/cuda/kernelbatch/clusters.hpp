// The blocks of a cluster, along x: their barrier, and the shared memory of each other.
#pragma once

namespace kernelbatch {

/// Waits for all threads of the cluster; what they wrote to shared memory before is seen after.
inline void cluster_sync() {
  __kernelbatch_cluster_arrive();
  __kernelbatch_cluster_wait();
}

/// What is at `mine` of this block's shared memory, in that of the cluster's block `rank`.
template <class T>
inline T* cluster_pointer(T* mine, int rank) {
  return static_cast<T*>(__kernelbatch_map_shared(mine, unsigned(rank)));
}

/// In shared memory: exchanges a value of each block of a cluster.
struct cluster_exchange {
  void begin() {}
  template <int Blocks, class T>
  void exchange(T* all, const T& value, int rank, int) {
    const int thread = int(threadIdx.x);
    if (thread < Blocks) *cluster_pointer(all + rank, thread) = value;
    cluster_sync();
  }
};

}  // namespace kernelbatch
