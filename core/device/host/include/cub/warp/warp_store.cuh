// CUB's stores of a warp's items on the host device.
#pragma once

#include "cub/block/block_store.cuh"
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
  using TempStorage = Uninitialized<NullType>;
  WarpStore() = default;
  explicit WarpStore(TempStorage&) {}
  template <class I>
  void Store(I to, T (&from)[Items]) {
    detail::store(rank(), to, from, detail::kAll, kStride);
  }
  template <class I>
  void Store(I to, T (&from)[Items], int valid_items) {
    detail::store(rank(), to, from, valid_items, kStride);
  }
};

}  // namespace cub
