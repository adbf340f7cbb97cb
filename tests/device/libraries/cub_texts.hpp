// Kernels that use CUB's warp and block collectives.
#pragma once

#include "tests/device/libraries/texts.hpp"

namespace kernelbatch::test {

inline std::string cub_reduce_text() {
  return library_text("#include <cub/cub.cuh>\n", R"(
struct Running {
  int total;
  __device__ int operator()(int aggregate) {
    const int before = total;
    total += aggregate;
    return before;
  }
};
struct Larger {
  template <class T>
  __device__ T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};
template <cub::BlockReduceAlgorithm Algorithm>
__device__ float sum_of(float value) {
  using Reduce = cub::BlockReduce<float, 128, Algorithm>;
  __shared__ typename Reduce::TempStorage storage;
  __shared__ float result;
  const float sum = Reduce(storage).Sum(value);
  if (threadIdx.x == 0) result = sum;
  __syncthreads();
  const float all = result;
  __syncthreads();
  return all;
}
template <cub::BlockScanAlgorithm Algorithm>
__device__ int scan_of(int value) {
  using Scan = cub::BlockScan<int, 128, Algorithm>;
  __shared__ typename Scan::TempStorage storage;
  int before, upto, all;
  Scan(storage).ExclusiveSum(value, before);
  __syncthreads();
  Scan(storage).InclusiveSum(value, upto, all);
  __syncthreads();
  return before + 2 * upto + 3 * all;
}
)",
                      R"(
  const int v = in[t];
  using WarpReduce = cub::WarpReduce<int>;
  using TileReduce = cub::WarpReduce<int, 16>;
  using Pairs = cub::WarpReduce<cub::KeyValuePair<int, int>>;
  __shared__ union {
    typename WarpReduce::TempStorage reduce[4];
    typename TileReduce::TempStorage tile[8];
    typename Pairs::TempStorage pairs[4];
    typename cub::WarpScan<int>::TempStorage scan[4];
    typename cub::BlockReduce<int, 128>::TempStorage block;
    typename cub::BlockScan<int, 128>::TempStorage block_scan;
  } room;
  const int sum = WarpReduce(room.reduce[t / 32]).Sum(v);
  put(0, t % 32 == 0 ? sum : 0);
  __syncthreads();
  const int tile = TileReduce(room.tile[t / 16]).Reduce(v, Larger(), 11);
  put(1, t % 16 == 0 ? tile : 0);
  __syncthreads();
  const int head = WarpReduce(room.reduce[t / 32]).HeadSegmentedSum(v, v % 4 == 0);
  put(2, v % 4 == 0 || t % 32 == 0 ? head : 0);
  __syncthreads();
  const int tail = WarpReduce(room.reduce[t / 32]).TailSegmentedSum(v, v % 4 == 0);
  put(3, t % 32 == 0 || in[t - 1] % 4 == 0 ? tail : 0);
  __syncthreads();
  const cub::KeyValuePair<int, int> best =
      Pairs(room.pairs[t / 32]).Reduce(cub::KeyValuePair<int, int>(t, v % 10), cub::ArgMax());
  put(4, t % 32 == 0 ? best.key + 1000 * best.value : 0);
  __syncthreads();
  int upto, before, all;
  cub::WarpScan<int>(room.scan[t / 32]).InclusiveSum(v, upto, all);
  put(5, upto + 10000 * all);
  __syncthreads();
  cub::WarpScan<int>(room.scan[t / 32]).ExclusiveScan(v, before, 5, Larger(), all);
  put(6, before + 1000 * all);
  __syncthreads();
  cub::WarpScan<int>(room.scan[t / 32]).Scan(v, upto, before, Larger());
  put(7, t % 32 == 0 ? upto : upto + 1000 * before);
  put(8, cub::WarpScan<int>(room.scan[t / 32]).Broadcast(v, 17));
  put(9, sum_of<cub::BLOCK_REDUCE_WARP_REDUCTIONS>(1.0f / (1 + v)));
  put(10, sum_of<cub::BLOCK_REDUCE_RAKING>(1.0f / (1 + v)));
  put(11, sum_of<cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>(1.0f / (1 + v)));
  __syncthreads();
  const int most = cub::BlockReduce<int, 128>(room.block).Reduce(v, Larger(), 100);
  put(12, t == 0 ? most : 0);
  __syncthreads();
  int items[4] = {v, v + 1, v - 1, t};
  const int items_sum = cub::BlockReduce<int, 128>(room.block).Sum(items);
  put(13, t == 0 ? items_sum : 0);
  put(14, scan_of<cub::BLOCK_SCAN_RAKING>(v));
  put(15, scan_of<cub::BLOCK_SCAN_RAKING_MEMOIZE>(v));
  put(16, scan_of<cub::BLOCK_SCAN_WARP_SCANS>(v));
  __syncthreads();
  Running running{1000};
  int scanned[4];
  cub::BlockScan<int, 128>(room.block_scan).ExclusiveSum(items, scanned, running);
  put(17, scanned[0] + scanned[3]);
  __syncthreads();
  cub::BlockScan<int, 128>(room.block_scan).InclusiveSum(v, upto, running);
  put(18, upto);
  __syncthreads();
  cub::BlockScan<int, 128>(room.block_scan).ExclusiveScan(items, scanned, -7, Larger(), all);
  put(19, scanned[0] + 1000 * scanned[2] + 1000000 * all);
  __syncthreads();
  cub::BlockScan<int, 128>(room.block_scan).InclusiveScan(items, scanned, Larger());
  put(20, scanned[0] + 1000 * scanned[2]);
  put(21, cub::ThreadReduce(items, Larger()) + cub::ThreadLoad<cub::LOAD_LDG>(in + t));
  put(22, cub::LaneId() + 100 * cub::WarpId() + 10000 * cub::RowMajorTid(128, 1, 1));
)");
}

inline std::string cub_sort_text() {
  return library_text("#include <cub/cub.cuh>\n", R"(
struct Less {
  template <class T>
  __device__ bool operator()(const T& a, const T& b) const {
    return a < b;
  }
};
struct Differ {
  __device__ bool operator()(int a, int b) const { return a / 8 != b / 8; }
};
struct Minus {
  __device__ int operator()(int a, int b) const { return a - b; }
};
)",
                      R"(
  using Load = cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_TRANSPOSE>;
  using Striped = cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_STRIPED>;
  using Store = cub::BlockStore<int, 128, 4, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  using Exchange = cub::BlockExchange<int, 128, 4>;
  using Sort = cub::BlockRadixSort<float, 128, 4, int>;
  using SortInt = cub::BlockRadixSort<int, 128, 4>;
  using Merge = cub::BlockMergeSort<int, 128, 4, int>;
  using Histogram = cub::BlockHistogram<unsigned char, 128, 4, 128>;
  using Edges = cub::BlockDiscontinuity<int, 128>;
  using Difference = cub::BlockAdjacentDifference<int, 128>;
  using Shuffle = cub::BlockShuffle<int, 128>;
  using Decode = cub::BlockRunLengthDecode<int, 128, 1, 2>;
  using WarpMerge = cub::WarpMergeSort<int, 4>;
  using WarpExchange = cub::WarpExchange<int, 4>;
  __shared__ union {
    Load::TempStorage load;
    Striped::TempStorage striped;
    Store::TempStorage store;
    Exchange::TempStorage exchange;
    Sort::TempStorage sort;
    SortInt::TempStorage sort_int;
    Merge::TempStorage merge;
    Histogram::TempStorage histogram;
    Edges::TempStorage edges;
    Difference::TempStorage difference;
    Shuffle::TempStorage shuffle;
    Decode::TempStorage decode;
    WarpMerge::TempStorage warp_merge[4];
    WarpExchange::TempStorage warp_exchange[4];
    cub::WarpLoad<int, 4, cub::WARP_LOAD_TRANSPOSE>::TempStorage warp_load[4];
  } room;
  __shared__ int stored[512];
  int items[4], other[4];
  const auto digest = [&](const int (&all)[4]) {
    return all[0] + 100.0 * all[1] + 10000.0 * all[2] + 1000000.0 * all[3];
  };
  Load(room.load).Load(in, items);
  put(0, digest(items));
  __syncthreads();
  Striped(room.striped).Load(in, other, 400, 7);
  put(1, digest(other));
  __syncthreads();
  // It leaves what it stored transposed.
  int moved[4];
  for (int k = 0; k < 4; ++k) moved[k] = items[k];
  Store(room.store).Store(stored, moved, 510);
  __syncthreads();
  put(2, stored[(4 * t + 2) % 510] + 1000 * (moved[1] == in[t / 32 * 128 + 32 + t % 32]));
  Exchange(room.exchange).BlockedToStriped(items, other);
  put(3, digest(other));
  __syncthreads();
  Exchange(room.exchange).StripedToBlocked(other, other);
  put(4, digest(other));
  __syncthreads();
  Exchange(room.exchange).BlockedToWarpStriped(items, other);
  put(5, digest(other));
  __syncthreads();
  int ranks[4];
  for (int k = 0; k < 4; ++k) ranks[k] = 511 - (4 * t + k);
  Exchange(room.exchange).ScatterToBlocked(items, other, ranks);
  put(6, digest(other));
  __syncthreads();
  float keys[4];
  for (int k = 0; k < 4; ++k) keys[k] = items[k] % 2 ? -0.5f * items[k] : 0.25f * items[k];
  for (int k = 0; k < 4; ++k) other[k] = 4 * t + k;
  Sort(room.sort).Sort(keys, other);
  put(7, keys[0] + 1000 * keys[3] + 1000000.0 * other[1]);
  __syncthreads();
  Sort(room.sort).SortDescending(keys, other);
  put(8, keys[0] + 1000 * keys[3] + 1000000.0 * other[1]);
  __syncthreads();
  for (int k = 0; k < 4; ++k) other[k] = items[k] - 48;
  SortInt(room.sort_int).SortBlockedToStriped(other);
  put(9, other[0] + 100.0 * other[1] + 10000.0 * other[2] + 1000000.0 * other[3]);
  __syncthreads();
  for (int k = 0; k < 4; ++k) other[k] = items[k];
  SortInt(room.sort_int).Sort(other, 1, 4);
  put(10, digest(other));
  __syncthreads();
  int values[4] = {4 * t, 4 * t + 1, 4 * t + 2, 4 * t + 3};
  for (int k = 0; k < 4; ++k) other[k] = items[k];
  Merge(room.merge).Sort(other, values, Less(), 500, 1000);
  put(11, 4 * t + 3 < 500 ? other[0] + 1000.0 * other[3] : 0);  // CUB leaves the rest as it likes
  put(12, 4 * t + 3 < 500 ? values[0] + 1000.0 * values[3] : 0);
  __syncthreads();
  unsigned char bytes[4];
  for (int k = 0; k < 4; ++k) bytes[k] = items[k];
  __shared__ unsigned bins[128];
  Histogram(room.histogram).Histogram(bytes, bins);
  __syncthreads();
  put(13, bins[t]);
  int heads[4], tails[4];
  Edges(room.edges).FlagHeads(heads, items, Differ());
  __syncthreads();
  Edges(room.edges).FlagTails(tails, items, Differ(), 96);
  put(14, digest(heads) + 2 * digest(tails));
  __syncthreads();
  Difference(room.difference).SubtractLeft(items, other, Minus());
  put(15, other[0] + 1000.0 * other[3]);
  __syncthreads();
  Difference(room.difference).SubtractRight(items, other, Minus(), 5);
  put(16, other[0] + 1000.0 * other[3]);
  __syncthreads();
  int shifted = -1;
  Shuffle(room.shuffle).Offset(in[t], shifted, 3);
  put(17, shifted);
  __syncthreads();
  Shuffle(room.shuffle).Rotate(in[t], shifted, 5);
  put(18, shifted);
  __syncthreads();
  int run[1] = {t}, length[1] = {t % 4}, decoded[2], place[2];
  int total = 0;
  Decode decode(room.decode, run, length, total);
  decode.RunLengthDecode(decoded, place, 0);
  put(19, total);
  put(20, 2 * t + 1 < total ? decoded[0] + 1000 * decoded[1] + 1000000.0 * place[1] : 0);
  __syncthreads();
  for (int k = 0; k < 4; ++k) other[k] = items[k];
  WarpMerge(room.warp_merge[t / 32]).Sort(other, Less());
  put(21, digest(other));
  __syncthreads();
  WarpExchange(room.warp_exchange[t / 32]).BlockedToStriped(items, other);
  put(22, digest(other));
  __syncthreads();
  cub::WarpLoad<int, 4, cub::WARP_LOAD_TRANSPOSE>(room.warp_load[t / 32])
      .Load(in + t / 32 * 128, other);
  put(23, digest(other));
  cub::CacheModifiedInputIterator<cub::LOAD_LDG, int> reads(in);
  put(24, reads[t] + (reads + 1)[t]);
)");
}

}  // namespace kernelbatch::test
