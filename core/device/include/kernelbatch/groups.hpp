// Cooperative groups under CUDA's names: the block, tiles of a warp, the grid. Included where a
// kernel's text uses it; reads nothing of CUDA's own header, which costs more than a second.
#pragma once

#include "kernelbatch/collectives.hpp"

namespace kernelbatch {
namespace groups {

template <class T>
struct less {
  KERNELBATCH_INLINE T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  KERNELBATCH_INLINE T operator()(T a, T b) const { return a < b ? b : a; }
};

/// All threads of the block.
class thread_block {
 public:
  KERNELBATCH_INLINE static void sync() { __syncthreads(); }
  KERNELBATCH_INLINE static unsigned thread_rank() { return detail::block_rank(); }
  KERNELBATCH_INLINE static unsigned size() { return detail::block_threads(); }
  KERNELBATCH_INLINE static unsigned num_threads() { return size(); }
  KERNELBATCH_INLINE static dim3 group_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
  KERNELBATCH_INLINE static dim3 thread_index() { return {threadIdx.x, threadIdx.y, threadIdx.z}; }
  KERNELBATCH_INLINE static dim3 group_dim() { return {blockDim.x, blockDim.y, blockDim.z}; }
  KERNELBATCH_INLINE static dim3 dim_threads() { return group_dim(); }
};
KERNELBATCH_INLINE thread_block this_thread_block() { return {}; }

/// `Size` neighbouring threads of a warp, a power of two.
template <unsigned Size>
class thread_block_tile {
 public:
  static_assert(Size > 0 && Size <= 32 && (Size & (Size - 1)) == 0, "1, 2, 4, 8, 16 or 32 threads");
  KERNELBATCH_INLINE static unsigned thread_rank() { return unsigned(place().rank); }
  KERNELBATCH_INLINE static constexpr unsigned size() { return Size; }
  KERNELBATCH_INLINE static constexpr unsigned num_threads() { return Size; }
  KERNELBATCH_INLINE static unsigned meta_group_rank() { return detail::block_rank() / Size; }
  KERNELBATCH_INLINE static unsigned meta_group_size() {
    return (detail::block_threads() + Size - 1) / Size;
  }
  KERNELBATCH_INLINE static void sync() { __syncwarp(place().mask); }
  template <class T>
  KERNELBATCH_INLINE T shfl(T value, int source) const {
    return shuffle(place().mask, value, source, Size);
  }
  template <class T>
  KERNELBATCH_INLINE T shfl_up(T value, unsigned distance) const {
    return shuffle_up(place().mask, value, int(distance), Size);
  }
  template <class T>
  KERNELBATCH_INLINE T shfl_down(T value, unsigned distance) const {
    return shuffle_down(place().mask, value, int(distance), Size);
  }
  template <class T>
  KERNELBATCH_INLINE T shfl_xor(T value, unsigned lanes) const {
    return shuffle_xor(place().mask, value, int(lanes), Size);
  }
  KERNELBATCH_INLINE int any(int predicate) const { return __any_sync(place().mask, predicate); }
  KERNELBATCH_INLINE int all(int predicate) const { return __all_sync(place().mask, predicate); }
  /// Bit k is the predicate of the tile's thread k.
  KERNELBATCH_INLINE unsigned ballot(int predicate) const {
    return __ballot_sync(place().mask, predicate) >> shift();
  }
  template <class T>
  KERNELBATCH_INLINE unsigned match_any(T value) const {
    return __match_any_sync(place().mask, value) >> shift();
  }

 private:
  KERNELBATCH_INLINE static detail::tile_place place() { return detail::tile_of<int(Size)>(); }
  KERNELBATCH_INLINE static unsigned shift() { return detail::block_rank() & 31u & ~(Size - 1u); }
};
template <unsigned Size>
KERNELBATCH_INLINE thread_block_tile<Size> tiled_partition(const thread_block&) {
  return {};
}
template <unsigned Size, unsigned Outer>
KERNELBATCH_INLINE thread_block_tile<Size> tiled_partition(const thread_block_tile<Outer>&) {
  static_assert(Size <= Outer, "a part is no larger than the whole");
  return {};
}

/// All threads of the grid. sync() needs a cooperative launch.
class grid_group {
 public:
  KERNELBATCH_INLINE static unsigned long long num_blocks() {
    return (unsigned long long)(gridDim.x) * gridDim.y * gridDim.z;
  }
  KERNELBATCH_INLINE static unsigned long long block_rank() {
    return blockIdx.x + (unsigned long long)(gridDim.x) *
                            (blockIdx.y + (unsigned long long)(gridDim.y) * blockIdx.z);
  }
  KERNELBATCH_INLINE static unsigned long long size() {
    return num_blocks() * detail::block_threads();
  }
  KERNELBATCH_INLINE static unsigned long long num_threads() { return size(); }
  KERNELBATCH_INLINE static unsigned long long thread_rank() {
    return block_rank() * detail::block_threads() + detail::block_rank();
  }
  KERNELBATCH_INLINE static dim3 group_dim() { return {gridDim.x, gridDim.y, gridDim.z}; }
#ifndef KERNELBATCH_ON_HOST
  KERNELBATCH_INLINE static bool is_valid() { return workspace() != nullptr; }
  /// CUDA's own barrier: the top bit flips when the last block has arrived.
  KERNELBATCH_INLINE static void sync() {
    unsigned* const ticket = workspace() + 1;
    __syncthreads();
    if (detail::block_rank() == 0) {
      const unsigned own = block_rank() == 0 ? 0x80000000u - unsigned(num_blocks() - 1) : 1u;
      __threadfence();
      const unsigned before = atomicAdd(ticket, own);
      while (((before ^ *static_cast<volatile unsigned*>(ticket)) & 0x80000000u) == 0) {
      }
      __threadfence();
    }
    __syncthreads();
  }

 private:
  /// The driver's room for a cooperative launch: its size, then the barrier's ticket.
  KERNELBATCH_INLINE static unsigned* workspace() {
    unsigned high, low;
    asm("mov.u32 %0, %%envreg1;" : "=r"(high));
    asm("mov.u32 %0, %%envreg2;" : "=r"(low));
    return reinterpret_cast<unsigned*>((unsigned long long)(high) << 32 | low);
  }
#else
  KERNELBATCH_INLINE static bool is_valid() { return true; }
  KERNELBATCH_INLINE static void sync() { __kernelbatch_grid_sync(); }
#endif
};
KERNELBATCH_INLINE grid_group this_grid() { return {}; }

template <class Group>
KERNELBATCH_INLINE void sync(const Group& group) {
  group.sync();
}

/// All threads of the tile get the result; in the order of the threads.
template <unsigned Size, class T, class Operator>
KERNELBATCH_INLINE T reduce(const thread_block_tile<Size>&, T value, Operator combine) {
  return warp_reduce<int(Size)>(value, combine);
}
template <unsigned Size, class T, class Operator>
KERNELBATCH_INLINE T inclusive_scan(const thread_block_tile<Size>&, T value, Operator combine) {
  return warp_inclusive_scan<int(Size)>(value, combine);
}
/// The first thread gets T(), as sums want it.
template <unsigned Size, class T, class Operator>
KERNELBATCH_INLINE T exclusive_scan(const thread_block_tile<Size>&, T value, Operator combine) {
  return warp_exclusive_scan<int(Size)>(value, combine, T());
}

}  // namespace groups
using namespace groups;
}  // namespace kernelbatch
