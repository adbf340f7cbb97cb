// CUB's loads of a warp's items on the host device.
#pragma once

#include "cub/block/block_load.cuh"
#include "cub/warp/warp_reduce.cuh"

namespace cub {

enum WarpLoadAlgorithm {
  WARP_LOAD_DIRECT,
  WARP_LOAD_STRIPED,
  WARP_LOAD_VECTORIZE,
  WARP_LOAD_TRANSPOSE
};

template <class T, int Items, WarpLoadAlgorithm Algorithm = WARP_LOAD_DIRECT,
          int LogicalWarpThreads = 32, int LegacyArch = 0>
class WarpLoad {
  static constexpr int kStride = Algorithm == WARP_LOAD_STRIPED ? LogicalWarpThreads : 0;
  static int rank() { return detail::LaneGroup<LogicalWarpThreads>::rank(); }

 public:
  using TempStorage = Uninitialized<NullType>;
  WarpLoad() = default;
  explicit WarpLoad(TempStorage&) {}
  template <class I>
  void Load(I from, T (&to)[Items]) {
    detail::load(rank(), from, to, detail::kAll, kStride);
  }
  template <class I>
  void Load(I from, T (&to)[Items], int valid_items) {
    detail::load(rank(), from, to, valid_items, kStride);
  }
  template <class I, class Default>
  void Load(I from, T (&to)[Items], int valid_items, Default rest) {
    for (T& item : to) item = rest;
    detail::load(rank(), from, to, valid_items, kStride);
  }
};

}  // namespace cub
