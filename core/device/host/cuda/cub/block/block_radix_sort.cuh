// CUB's radix sort of a block's keys on the host device.
#pragma once

#include "cub/block/block_scan.cuh"

namespace cub {

template <class Key, int BlockDimX, int Items, class Value = NullType, int RadixBits = 4,
          bool MemoizeOuterScan = true, BlockScanAlgorithm InnerScan = BLOCK_SCAN_WARP_SCANS,
          int SharedMemConfig = 0, int BlockDimY = 1, int BlockDimZ = 1, int LegacyArch = 0>
class BlockRadixSort {
  static constexpr int kThreads = BlockDimX * BlockDimY * BlockDimZ;
  static constexpr int kCount = kThreads * Items;
  static constexpr int kBits = int(8 * sizeof(Key));
  struct Room {
    detail::Values<Key, kCount> keys;
    detail::Values<Value, kCount> values;
    int order[2][kCount];
  };

 public:
  using TempStorage = Uninitialized<Room>;
  BlockRadixSort() : room_(detail::own_storage<Room>()) {}
  explicit BlockRadixSort(TempStorage& storage) : room_(storage.Alias()) {}

  void Sort(Key (&keys)[Items], int begin_bit = 0, int end_bit = kBits) {
    sort<false, false>(keys, nullptr, begin_bit, end_bit);
  }
  void Sort(Key (&keys)[Items], Value (&values)[Items], int begin_bit = 0, int end_bit = kBits) {
    sort<false, false>(keys, values, begin_bit, end_bit);
  }
  void SortDescending(Key (&keys)[Items], int begin_bit = 0, int end_bit = kBits) {
    sort<true, false>(keys, nullptr, begin_bit, end_bit);
  }
  void SortDescending(Key (&keys)[Items], Value (&values)[Items], int begin_bit = 0,
                      int end_bit = kBits) {
    sort<true, false>(keys, values, begin_bit, end_bit);
  }
  void SortBlockedToStriped(Key (&keys)[Items], int begin_bit = 0, int end_bit = kBits) {
    sort<false, true>(keys, nullptr, begin_bit, end_bit);
  }
  void SortBlockedToStriped(Key (&keys)[Items], Value (&values)[Items], int begin_bit = 0,
                            int end_bit = kBits) {
    sort<false, true>(keys, values, begin_bit, end_bit);
  }
  void SortDescendingBlockedToStriped(Key (&keys)[Items], int begin_bit = 0, int end_bit = kBits) {
    sort<true, true>(keys, nullptr, begin_bit, end_bit);
  }
  void SortDescendingBlockedToStriped(Key (&keys)[Items], Value (&values)[Items], int begin_bit = 0,
                                      int end_bit = kBits) {
    sort<true, true>(keys, values, begin_bit, end_bit);
  }

 private:
  /// Thread 0 sorts for all: digits of eight bits, the last first, equal ones in their order.
  template <bool IsDescending>
  const int* order(int begin_bit, int end_bit) {
    int* from = room_.order[0];
    int* to = room_.order[1];
    for (int k = 0; k < kCount; ++k) from[k] = k;
    for (int bit = begin_bit; bit < end_bit; bit += 8) {
      const int width = end_bit - bit < 8 ? end_bit - bit : 8;
      const auto digit = [&](int item) {
        const unsigned value =
            unsigned(detail::to_digits(room_.keys[item]) >> bit) & ((1u << width) - 1u);
        return IsDescending ? ((1u << width) - 1u) - value : value;
      };
      int start[257] = {};
      for (int k = 0; k < kCount; ++k) ++start[digit(k) + 1];
      for (int d = 0; d < 256; ++d) start[d + 1] += start[d];
      for (int k = 0; k < kCount; ++k) to[start[digit(from[k])]++] = from[k];
      int* const done = to;
      to = from;
      from = done;
    }
    if (from != room_.order[0])
      for (int k = 0; k < kCount; ++k) room_.order[0][k] = from[k];
    return room_.order[0];
  }
  template <bool IsDescending, bool IsStriped>
  void sort(Key (&keys)[Items], Value* values, int begin_bit, int end_bit) {
    const int thread = detail::thread();
    for (int k = 0; k < Items; ++k) {
      room_.keys[thread * Items + k] = keys[k];
      if (values != nullptr) room_.values[thread * Items + k] = values[k];
    }
    __syncthreads();
    if (thread == 0) order<IsDescending>(begin_bit, end_bit);
    __syncthreads();
    for (int k = 0; k < Items; ++k) {
      const int item = room_.order[0][IsStriped ? thread + k * kThreads : thread * Items + k];
      keys[k] = room_.keys[item];
      if (values != nullptr) values[k] = room_.values[item];
    }
  }
  Room& room_;
};

}  // namespace cub
