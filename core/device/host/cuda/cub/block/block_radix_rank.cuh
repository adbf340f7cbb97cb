// CUB's ranks of a block's keys by one digit on the host device.
#pragma once

#include "cub/block/block_scan.cuh"

namespace cub {

template <class Key>
struct BFEDigitExtractor {
  unsigned first, count;
  explicit BFEDigitExtractor(unsigned bit_start = 0, unsigned num_bits = 0)
      : first(bit_start), count(num_bits) {}
  template <class Bits>
  unsigned Digit(Bits key) const {
    return BFE(key, first, count);
  }
};

template <int BlockDimX, int RadixBits, bool IsDescending, bool MemoizeOuterScan = true,
          BlockScanAlgorithm InnerScan = BLOCK_SCAN_WARP_SCANS, int SharedMemConfig = 0,
          int BlockDimY = 1, int BlockDimZ = 1, int LegacyArch = 0>
class BlockRadixRank {
  static constexpr int kThreads = BlockDimX * BlockDimY * BlockDimZ;
  static constexpr int kDigits = 1 << RadixBits;
  static constexpr int kMost = 64;  // keys per thread
  struct Room {
    int start[kDigits + 1];
    unsigned short digit[kThreads * kMost];
    int rank[kThreads * kMost];
  };

 public:
  static constexpr int BINS_TRACKED_PER_THREAD = kDigits > kThreads ? kDigits / kThreads : 1;
  using TempStorage = Uninitialized<Room>;
  BlockRadixRank() : room_(detail::own_storage<Room>()) {}
  explicit BlockRadixRank(TempStorage& storage) : room_(storage.Alias()) {}

  template <class Bits, int Keys, class Extractor>
  void RankKeys(Bits (&keys)[Keys], int (&ranks)[Keys], Extractor extractor) {
    static_assert(Keys <= kMost, "at most 64 keys per thread are ranked on the host device");
    const int first = detail::thread() * Keys;
    for (int k = 0; k < Keys; ++k)
      room_.digit[first + k] = static_cast<unsigned short>(extractor.Digit(keys[k]));
    __syncthreads();
    if (detail::thread() == 0) rank_all(kThreads * Keys);
    __syncthreads();
    for (int k = 0; k < Keys; ++k) ranks[k] = room_.rank[first + k];
  }
  /// Also how many keys have a smaller digit, for the digits of this thread.
  template <class Bits, int Keys, class Extractor>
  void RankKeys(Bits (&keys)[Keys], int (&ranks)[Keys], Extractor extractor,
                int (&prefix)[BINS_TRACKED_PER_THREAD]) {
    RankKeys(keys, ranks, extractor);
    for (int k = 0; k < BINS_TRACKED_PER_THREAD; ++k) {
      const int bin = detail::thread() * BINS_TRACKED_PER_THREAD + k;
      if (bin < kDigits) prefix[k] = room_.start[IsDescending ? kDigits - 1 - bin : bin];
    }
  }

 private:
  void rank_all(int count) {
    int next[kDigits + 1] = {};
    const auto place = [](int digit) { return IsDescending ? kDigits - 1 - digit : digit; };
    for (int k = 0; k < count; ++k) ++next[place(room_.digit[k]) + 1];
    for (int d = 0; d < kDigits; ++d) next[d + 1] += next[d];
    for (int d = 0; d <= kDigits; ++d) room_.start[d] = next[d];
    for (int k = 0; k < count; ++k) room_.rank[k] = next[place(room_.digit[k])]++;
  }
  Room& room_;
};

}  // namespace cub
