// CUB's merge sort of a warp's keys on the host device.
#pragma once

#include "cub/warp/warp_reduce.cuh"
#include "kernelbatch/merge_sort.hpp"

namespace cub {
namespace detail {
template <int Threads>
struct PartOfWarp {
  static int rank() { return LaneGroup<Threads>::rank(); }
  static void sync() { __syncwarp(LaneGroup<Threads>::mask()); }
};
}  // namespace detail

template <class Key, int Items, int LogicalWarpThreads = 32, class Value = NullType,
          int LegacyArch = 0>
class WarpMergeSort : public detail::MergeSort<Key, Value, LogicalWarpThreads, Items,
                                               detail::PartOfWarp<LogicalWarpThreads>> {
  using Base = detail::MergeSort<Key, Value, LogicalWarpThreads, Items,
                                 detail::PartOfWarp<LogicalWarpThreads>>;

 public:
  using TempStorage = typename Base::TempStorage;
  explicit WarpMergeSort(TempStorage& storage) : Base(storage) {}
};

}  // namespace cub
