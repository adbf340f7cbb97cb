// CUB's stores of a block's items on the host device.
#pragma once

#include "cub/block/block_exchange.cuh"
#include "cub/block/block_load.cuh"
#include "cub/thread/thread_store.cuh"

namespace cub {

enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

template <class T, int Items, class I>
inline void StoreDirectBlocked(int thread, I to, T (&from)[Items], int valid = detail::kAll) {
  detail::store(thread, to, from, valid, 0);
}
template <class T, int Items>
inline void StoreDirectBlockedVectorized(int thread, T* to, T (&from)[Items]) {
  detail::store(thread, to, from, detail::kAll, 0);
}
template <int BlockThreads, class T, int Items, class I>
inline void StoreDirectStriped(int thread, I to, T (&from)[Items], int valid = detail::kAll) {
  detail::store(thread, to, from, valid, BlockThreads);
}
template <class T, int Items, class I>
inline void StoreDirectWarpStriped(int thread, I to, T (&from)[Items], int valid = detail::kAll) {
  detail::store(detail::in_warp(thread, Items), to, from, valid, 32);
}

template <class T, int BlockDimX, int Items, BlockStoreAlgorithm Algorithm = BLOCK_STORE_DIRECT,
          int BlockDimY = 1, int BlockDimZ = 1, int LegacyArch = 0>
class BlockStore {
  static constexpr int kStride =
      Algorithm == BLOCK_STORE_STRIPED ? BlockDimX * BlockDimY * BlockDimZ : 0;
  using Exchange = BlockExchange<T, BlockDimX, Items, false, BlockDimY, BlockDimZ>;

 public:
  using TempStorage = typename Exchange::TempStorage;
  BlockStore() = default;
  explicit BlockStore(TempStorage& storage) : exchange_(storage) {}
  template <class I>
  void Store(I to, T (&from)[Items]) {
    Store(to, from, detail::kAll);
  }
  /// Those that transpose leave the caller's items transposed, as CUB's do.
  template <class I>
  void Store(I to, T (&from)[Items], int valid_items) {
    detail::store(detail::thread(), to, from, valid_items, kStride);
    if constexpr (Algorithm == BLOCK_STORE_TRANSPOSE)
      exchange_.BlockedToStriped(from);
    else if constexpr (Algorithm == BLOCK_STORE_WARP_TRANSPOSE ||
                       Algorithm == BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED)
      exchange_.BlockedToWarpStriped(from);
  }

 private:
  Exchange exchange_;
};

}  // namespace cub
