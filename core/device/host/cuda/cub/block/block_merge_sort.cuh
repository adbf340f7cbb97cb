// CUB's merge sort of a block's keys on the host device.
#pragma once

#include "kernelbatch/merge_sort.hpp"

namespace cub {
namespace detail {
struct WholeBlock {
  static int rank() { return thread(); }
  static void sync() { __syncthreads(); }
};
}  // namespace detail

template <class Key, int BlockDimX, int Items, class Value = NullType, int BlockDimY = 1,
          int BlockDimZ = 1>
class BlockMergeSort : public detail::MergeSort<Key, Value, BlockDimX * BlockDimY * BlockDimZ,
                                                Items, detail::WholeBlock> {
  using Base =
      detail::MergeSort<Key, Value, BlockDimX * BlockDimY * BlockDimZ, Items, detail::WholeBlock>;

 public:
  using TempStorage = typename Base::TempStorage;
  BlockMergeSort() : Base(detail::own_storage<TempStorage>()) {}
  explicit BlockMergeSort(TempStorage& storage) : Base(storage) {}
};

}  // namespace cub
