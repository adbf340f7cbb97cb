// CUB's stores of a warp's items on the host device.
#pragma once

#include "cub/block/block_store.cuh"
#include "cub/warp/warp_exchange.cuh"
#include "cub/warp/warp_reduce.cuh"

namespace cub {

enum WarpStoreAlgorithm {
  WARP_STORE_DIRECT,
  WARP_STORE_STRIPED,
  WARP_STORE_VECTORIZE,
  WARP_STORE_TRANSPOSE
};

template <class T, int Items, WarpStoreAlgorithm Algorithm = WARP_STORE_DIRECT,
          int LogicalWarpThreads = 32, int LegacyArch = 0>
class WarpStore {
  static constexpr int kStride = Algorithm == WARP_STORE_STRIPED ? LogicalWarpThreads : 0;
  static int rank() { return detail::LaneGroup<LogicalWarpThreads>::rank(); }

 public:
  using TempStorage = typename WarpExchange<T, Items, LogicalWarpThreads>::TempStorage;
  explicit WarpStore(TempStorage& storage) : exchange_(storage) {}
  template <class I>
  void Store(I to, T (&from)[Items]) {
    Store(to, from, detail::kAll);
  }
  /// One that transposes leaves the caller's items transposed, as CUB's does.
  template <class I>
  void Store(I to, T (&from)[Items], int valid_items) {
    detail::store(rank(), to, from, valid_items, kStride);
    if constexpr (Algorithm == WARP_STORE_TRANSPOSE) exchange_.BlockedToStriped(from, from);
  }

 private:
  WarpExchange<T, Items, LogicalWarpThreads> exchange_;
};

}  // namespace cub
