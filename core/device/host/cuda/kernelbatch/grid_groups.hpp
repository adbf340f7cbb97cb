// Cooperative groups of more than one block: the cluster and the grid; and what any group does.
#pragma once

namespace cooperative_groups {

/// All threads of the grid; sync() needs a cooperative launch.
class grid_group : public thread_group {
 public:
  static constexpr unsigned _group_id = details::kGrid;
  struct arrival_token {};
  grid_group() : thread_group(details::kGrid) {}
  static bool is_valid() { return true; }
  static void sync() { __kernelbatch_grid_sync(); }
  arrival_token barrier_arrive() const {
    __kernelbatch_grid_arrive();
    return {};
  }
  void barrier_wait(arrival_token&&) const { __kernelbatch_grid_wait(); }
  static unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  static unsigned long long block_rank() {
    return blockIdx.x + static_cast<unsigned long long>(gridDim.x) *
                            (blockIdx.y + static_cast<unsigned long long>(gridDim.y) * blockIdx.z);
  }
  static unsigned long long num_threads() { return num_blocks() * details::lanes::threads(); }
  static unsigned long long size() { return num_threads(); }
  static unsigned long long thread_rank() {
    return block_rank() * details::lanes::threads() + details::lanes::thread();
  }
  static dim3 dim_blocks() { return {gridDim.x, gridDim.y, gridDim.z}; }
  static dim3 group_dim() { return dim_blocks(); }
  static dim3 block_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
  static unsigned long long num_clusters() {
    const auto& dim = __kernelbatch_cluster_dim();
    return num_blocks() / (static_cast<unsigned long long>(dim.x) * dim.y * dim.z);
  }
  static dim3 dim_clusters() {
    const auto& dim = __kernelbatch_cluster_dim();
    return {gridDim.x / dim.x, gridDim.y / dim.y, gridDim.z / dim.z};
  }
  static dim3 cluster_index() {
    const auto& dim = __kernelbatch_cluster_dim();
    return {blockIdx.x / dim.x, blockIdx.y / dim.y, blockIdx.z / dim.z};
  }
  static unsigned long long cluster_rank() {
    const dim3 at = cluster_index(), all = dim_clusters();
    return at.x + static_cast<unsigned long long>(all.x) *
                      (at.y + static_cast<unsigned long long>(all.y) * at.z);
  }
};
inline grid_group this_grid() { return {}; }

/// The blocks that share their memory.
class cluster_group : public thread_group {
 public:
  static constexpr unsigned _group_id = details::kCluster;
  struct arrival_token {};
  cluster_group() : thread_group(details::kCluster) {}
  static void sync() {
    __kernelbatch_cluster_arrive();
    __kernelbatch_cluster_wait();
  }
  static arrival_token barrier_arrive() {
    __kernelbatch_cluster_arrive();
    return {};
  }
  static void barrier_wait() { __kernelbatch_cluster_wait(); }
  static void barrier_wait(arrival_token&&) { __kernelbatch_cluster_wait(); }
  static dim3 dim_blocks() {
    const auto& dim = __kernelbatch_cluster_dim();
    return {dim.x, dim.y, dim.z};
  }
  static dim3 block_index() {
    const auto& at = __kernelbatch_cluster_index();
    return {at.x, at.y, at.z};
  }
  static unsigned num_blocks() {
    const dim3 all = dim_blocks();
    return all.x * all.y * all.z;
  }
  static unsigned block_rank() {
    const dim3 all = dim_blocks(), at = block_index();
    return at.x + all.x * (at.y + all.y * at.z);
  }
  static unsigned thread_rank() {
    return block_rank() * details::lanes::threads() + details::lanes::thread();
  }
  static unsigned num_threads() { return num_blocks() * details::lanes::threads(); }
  static unsigned size() { return num_threads(); }
  static dim3 dim_threads() {
    const dim3 all = dim_blocks();
    return {all.x * blockDim.x, all.y * blockDim.y, all.z * blockDim.z};
  }
  static dim3 thread_index() {
    const dim3 at = block_index();
    return {at.x * blockDim.x + threadIdx.x, at.y * blockDim.y + threadIdx.y,
            at.z * blockDim.z + threadIdx.z};
  }
  template <class T>
  static T* map_shared_rank(T* mine, int rank) {
    return static_cast<T*>(__kernelbatch_map_shared(mine, unsigned(rank)));
  }
};
inline cluster_group this_cluster() { return {}; }

inline unsigned long long thread_group::num_threads() const {
  switch (kind_) {
    case details::kBlock:
      return thread_block::num_threads();
    case details::kGrid:
      return grid_group::num_threads();
    case details::kCluster:
      return cluster_group::num_threads();
    case details::kMultiTile:
      return mask_;
    default:
      return unsigned(__popc(mask_));
  }
}
inline unsigned long long thread_group::thread_rank() const {
  switch (kind_) {
    case details::kBlock:
      return thread_block::thread_rank();
    case details::kGrid:
      return grid_group::thread_rank();
    case details::kCluster:
      return cluster_group::thread_rank();
    case details::kMultiTile:
      return details::lanes::thread() & (mask_ - 1);
    default:
      return unsigned(__popc(mask_ & ((1u << details::lanes::lane()) - 1u)));
  }
}
inline void thread_group::sync() const {
  switch (kind_) {
    case details::kBlock:
      return thread_block::sync();
    case details::kGrid:
      return grid_group::sync();
    case details::kCluster:
      return cluster_group::sync();
    case details::kMultiTile:
      return details::wide_sync((details::lanes::thread() & ~(mask_ - 1)) / 32, mask_);
    default:
      return __syncwarp(mask_);
  }
}

}  // namespace cooperative_groups
