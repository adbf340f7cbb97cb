// CUB's block histogram on the host device.
#pragma once

#include "cub/util_ptx.cuh"

namespace cub {

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };

template <class T, int BlockDimX, int Items, int Bins,
          BlockHistogramAlgorithm Algorithm = BLOCK_HISTO_SORT, int BlockDimY = 1,
          int BlockDimZ = 1, int LegacyArch = 0>
class BlockHistogram {
  static constexpr int kThreads = BlockDimX * BlockDimY * BlockDimZ;

 public:
  using TempStorage = Uninitialized<NullType>;
  BlockHistogram() = default;
  explicit BlockHistogram(TempStorage&) {}
  template <class Counter>
  void InitHistogram(Counter histogram[Bins]) {
    for (int bin = detail::thread(); bin < Bins; bin += kThreads) histogram[bin] = 0;
  }
  template <class Counter>
  void Histogram(T (&items)[Items], Counter histogram[Bins]) {
    InitHistogram(histogram);
    __syncthreads();
    Composite(items, histogram);
  }
  template <class Counter>
  void Composite(T (&items)[Items], Counter histogram[Bins]) {
    for (int k = 0; k < Items; ++k) atomicAdd(histogram + items[k], Counter(1));
  }
};

}  // namespace cub
