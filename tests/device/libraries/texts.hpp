// Kernels that use CUDA's libraries: run on the device under test, and compiled for a GPU as well.
// Each is called `f` and writes rows of one value per thread: row `k` of `out`, by `put(k, value)`.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kernelbatch::test {

/// Threads of the one block.
inline constexpr int kLibraryThreads = 128;

inline std::string library_text(const std::string& includes, const std::string& before,
                                const std::string& body) {
  return includes + R"(
template <class T>
struct Rows {
  T* out;
  __device__ void operator()(int row, T value) const { out[row * 128 + threadIdx.x] = value; }
};
)" + before +
         R"(
extern "C" __global__ void f(const int* in, double* out) {
  const int t = threadIdx.x;
  const Rows<double> put{out};
)" + body +
         "}\n";
}

inline std::string groups_text() {
  return library_text(R"(#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
)",
                      R"(
template <class Group>
__device__ int sum_of(const Group& group, int value) {
  return cg::reduce(group, value, cg::plus<int>());
}
)",
                      R"(
  cg::thread_block block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  auto tile = cg::tiled_partition<8>(warp);
  cg::thread_block_tile<8> plain = tile;
  const int v = in[t];
  put(0, block.thread_rank() + 1000 * block.num_threads());
  put(1, tile.thread_rank() + 10 * tile.meta_group_rank() + 100 * tile.meta_group_size());
  put(2, sum_of(warp, v));
  put(3, cg::reduce(plain, v, cg::less<int>()) + 100 * cg::reduce(tile, v, cg::greater<int>()));
  put(4, cg::inclusive_scan(tile, v) + 1000 * cg::exclusive_scan(warp, v, cg::plus<int>()));
  put(5, tile.shfl(v, 3) + 100 * tile.shfl_up(v, 2) + 10000 * tile.shfl_down(v, 1));
  put(6, tile.shfl_xor(v, 5) + 100 * tile.any(v == 7) + 1000 * tile.all(v < 50));
  put(7, tile.ballot(v % 2) + 1000 * tile.match_any(v % 3));
  auto odd = cg::binary_partition(warp, v % 2 == 1);
  put(8, odd.thread_rank() + 100 * odd.num_threads() + 10000 * sum_of(odd, v));
  auto label = cg::labeled_partition(warp, v % 5);
  put(9, label.meta_group_size() + 10 * label.meta_group_rank() + 100 * label.thread_rank());
  put(10, label.shfl(v, 0) + 100 * label.ballot(t % 2) % 100);
  int active = 0;
  if (v % 3 == 0) {
    auto group = cg::coalesced_threads();
    active = group.num_threads() + 100 * (group.thread_rank() == 0) + 1000 * sum_of(group, v);
    auto pairs = cg::tiled_partition(group, 2);
    active += 1000000 * sum_of(pairs, 1);
  }
  put(11, active);
  auto wide = cg::tiled_partition<64>(block);
  put(12, sum_of(wide, v) + 10000 * cg::exclusive_scan(wide, 1) + 1000000 * wide.meta_group_rank());
  put(13, wide.any(v == in[70]) + 10 * wide.shfl(v, 33));
  cg::thread_group any = cg::tiled_partition(block, 16);
  any.sync();
  put(14, any.thread_rank() + 100 * any.size());
  __shared__ int copy[128];
  cg::memcpy_async(block, copy, in, sizeof(int) * 128);
  cg::wait(block);
  put(15, copy[127 - t]);
  int is_same = 0;
  const unsigned same = tile.match_all(t / 16, is_same);
  put(16, same + 1000 * is_same);
  __shared__ int called;
  if (t == 0) called = 0;
  block.sync();
  cg::invoke_one(tile, [&] { atomicAdd(&called, 1); });
  block.sync();
  put(17, called + 100 * cg::invoke_one_broadcast(warp, [&] { return 5; }));
  auto token = block.barrier_arrive();
  block.barrier_wait(static_cast<decltype(token)&&>(token));
  put(18, cg::this_grid().thread_rank() + 1000 * cg::this_grid().num_blocks());
  put(19, cg::reduce(warp, 0.125f * v, [](float a, float b) { return a > b ? a : b; }));
)");
}

/// For several blocks of 32 threads.
inline std::string cluster_text() {
  return library_text("#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n", "",
                      R"(
  auto cluster = cg::this_cluster();
  __shared__ int mine;
  if (t == 0) mine = 10 * (blockIdx.x + 1);
  cluster.sync();
  int sum = 0;
  for (unsigned rank = 0; rank < cluster.num_blocks(); ++rank)
    sum += *cluster.map_shared_rank(&mine, rank);
  cluster.barrier_arrive();
  out[blockIdx.x * 32 + t] = sum + 1000 * cluster.block_rank() + 10000 * cluster.thread_rank();
  cluster.barrier_wait();
)");
}

inline std::string grid_text() {
  return library_text("#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n", "",
                      R"(
  auto grid = cg::this_grid();
  const int rank = int(grid.thread_rank());
  out[rank] = in[rank];
  grid.sync();
  out[128 + rank] = out[127 - rank] + 1000 * int(grid.num_blocks()) + grid.is_valid();
)");
}

inline std::string atomics_text() {
  return library_text(R"(#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
)",
                      R"(
using Barrier = cuda::barrier<cuda::thread_scope_block>;
)",
                      R"(
  auto block = cg::this_thread_block();
  __shared__ int counts[8];
  __shared__ int turn;
  __shared__ float sums[2];
  if (t < 8) counts[t] = t == 4 ? 1000 : 0;
  if (t == 0) turn = 0, sums[0] = 0, sums[1] = -1;
  block.sync();
  cuda::atomic_ref<int, cuda::thread_scope_block> count(counts[0]), low(counts[4]), high(counts[5]);
  const int before = count.fetch_add(1, cuda::memory_order_relaxed);
  low.fetch_min(in[t]);
  high.fetch_max(in[t]);
  cuda::atomic_ref<float, cuda::thread_scope_block> sum(sums[0]);
  sum.fetch_add(0.5f);
  cuda::atomic_ref<int, cuda::thread_scope_block> bits(counts[1]);
  bits |= 1 << (t % 31);
  int expected = -1;
  cuda::atomic_ref<int, cuda::thread_scope_block> taken(counts[2]);
  while (!taken.compare_exchange_weak(expected, expected + 2)) {
  }
  block.sync();
  put(0, before >= 0 && before < 128);
  put(1, count.load() + 1000 * low + 1000000.0 * high);
  put(2, sum.load() + 1000 * counts[2]);
  put(3, counts[1]);
  // Every thread waits for its neighbour.
  cuda::atomic_ref<int, cuda::thread_scope_block> mine(turn);
  if (t % 32 == 0) {
    for (int seen = mine.load(); seen != t; seen = mine.load()) mine.wait(seen);
    counts[6] += t;
    mine.store(t + 32, cuda::memory_order_release);
    mine.notify_all();
  }
  __shared__ Barrier barrier, ready;
  __shared__ int data[2][128];
  if (t == 0) {
    init(&barrier, 128);
    init(&ready, 64);
  }
  block.sync();
  data[0][t] = in[t];
  auto token = barrier.arrive();
  barrier.wait(static_cast<Barrier::arrival_token&&>(token));
  put(4, data[0][127 - t] + 1000 * counts[6]);
  if (t < 64) {
    data[1][t] = 3 * in[t];
    ready.arrive_and_wait();
    put(5, data[1][63 - t]);
    if (t >= 32)
      ready.arrive_and_drop();
    else
      ready.arrive_and_wait();
    if (t < 32) ready.arrive_and_wait();
  } else {
    put(5, 7);
  }
  barrier.arrive_and_wait();
  cuda::memcpy_async(block, data[1], in, sizeof(int) * 128, barrier);
  barrier.arrive_and_wait();
  put(6, data[1][(t + 5) % 128]);

  block.sync();
  // Two stages: the copy of the next round goes on while this one is used.
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto pipe = cuda::make_pipeline(block, &state);
  int total = 0;
  for (int round = 0; round < 6; ++round) {
    for (int ahead = round == 0 ? 0 : 1; ahead < 2 && round + ahead < 6; ++ahead) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, data[(round + ahead) % 2], in + 128 * (round + ahead),
                         sizeof(int) * 128, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    total += data[round % 2][127 - t];
    pipe.consumer_release();
  }
  put(7, total);
  __shared__ int part[128];
  auto own = cuda::make_pipeline();
  own.producer_acquire();
  cuda::memcpy_async(part + t, in + t, sizeof(int), own);
  own.producer_commit();
  cuda::pipeline_consumer_wait_prior<0>(own);
  block.sync();
  put(8, part[t ^ 1]);
  block.sync();
  __pipeline_memcpy_async(part + t, in + 128 + t, sizeof(int));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  block.sync();
  put(9, part[t ^ 1]);
)");
}

inline std::string standard_text() {
  return library_text(R"(#include <cuda/cmath>
#include <cuda/functional>
#include <cuda/std/array>
#include <cuda/std/atomic>
#include <cuda/std/bit>
#include <cuda/std/cmath>
#include <cuda/std/complex>
#include <cuda/std/cstdint>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/numeric>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <nv/target>
#include <thrust/complex.h>
#include <thrust/functional.h>
#include <thrust/pair.h>
#include <thrust/swap.h>
#include <thrust/tuple.h>
)",
                      R"(
namespace cs = cuda::std;
static_assert(cs::is_same_v<cs::common_type_t<int, double>, double>);
static_assert(cs::numeric_limits<int>::max() == 2147483647 &&
              cs::numeric_limits<int>::min() == -2147483647 - 1);
static_assert(cs::numeric_limits<cs::uint64_t>::max() == ~cs::uint64_t(0));
static_assert(cs::is_floating_point_v<float> && !cs::is_signed_v<unsigned>);
template <class T, cs::enable_if_t<cs::is_integral_v<T>, int> = 0>
__device__ int kind(T) {
  return 1;
}
template <class T, cs::enable_if_t<cs::is_floating_point_v<T>, int> = 0>
__device__ int kind(T) {
  return 2;
}
__device__ cs::pair<int, float> both(int t) { return {t, t / 2.0f}; }
)",
                      R"(
  cs::array<int, 4> a{1, 2, 3, t};
  put(0, cs::accumulate(a.begin(), a.end(), 0) + 100 * a.size() + a.back());
  auto [q, r] = both(t);
  put(1, q + r);
  cs::tuple<int, double> pair = cs::make_tuple(t, 0.25);
  int first;
  double second;
  cs::tie(first, second) = pair;
  put(2, cs::get<0>(pair) + second + first);
  cs::optional<int> maybe;
  if (t % 2) maybe = t;
  put(3, maybe.value_or(-1) + (maybe.has_value() ? 1000 : 0));
  cs::span<const int> view(in, 128);
  put(4, view[t] + view.subspan(3).size());
  put(5, cs::popcount(unsigned(t)) + 10 * cs::countl_zero(unsigned(t)) +
             cs::bit_cast<int>(1.0f) / 1000);
  put(6, cs::gcd(t, 12) + 100 * cs::lcm(4, 6));
  put(7, cs::max(t, 50) + 1000 * cs::min(t, 50) + 1000000 * kind(t) + kind(1.0f));
  put(8, cs::sqrt(double(t)) + cs::abs(-3) + cs::fmax(1.0, 2.0));
  cs::complex<double> z(1, t);
  z = z * z + 2.0 * z / cs::complex<double>(0, 1) - 1.0;
  put(9, z.real());
  put(10, z.imag());
  put(11, cs::abs(cs::exp(cs::complex<double>(0.5, 1.0))) + cs::arg(cs::complex<double>(0, 2)));
  thrust::complex<double> w(0.25 * t, 1);
  w = thrust::exp(thrust::log(w)) * 2.0 + thrust::conj(w) + 1.0;
  put(12, w.real());
  put(13, w.imag());
  w = thrust::sqrt(thrust::complex<double>(-4.0, 0.0)) + thrust::pow(thrust::complex<double>(0, 1), 2.0);
  put(14, w.imag() + thrust::norm(thrust::complex<double>(3, 4)));
  w = thrust::sin(thrust::asin(thrust::complex<double>(0.5, 0.25))) +
      thrust::cosh(thrust::acosh(thrust::complex<double>(1.5, 0.5))) +
      thrust::tan(thrust::atan(thrust::complex<double>(0.5, 2.0)));
  put(15, w.real());
  put(16, w.imag());
  thrust::tuple<int, float> held = thrust::make_tuple(t, 2.0f);
  thrust::pair<int, int> two = thrust::make_pair(t, 2 * t);
  thrust::swap(two.first, two.second);
  put(17, thrust::get<0>(held) + two.first + thrust::plus<int>()(1, 2) +
              thrust::maximum<int>()(3, t));
  put(18, cuda::ceil_div(t, 7) + cuda::maximum<>()(1, 2) + cs::plus<>()(1, 2.5));
  int place = 0;
  NV_IF_TARGET(NV_IS_DEVICE, (place = 1;), (place = 2;))
  NV_IF_ELSE_TARGET(NV_IS_HOST, (place += 10;), (place += 20;))
  put(19, place);
  cs::int64_t big = cs::numeric_limits<cs::int64_t>::max();
  put(20, double(big >> 32) + (cs::isnan(cs::numeric_limits<double>::quiet_NaN()) ? 0.5 : 0));
)");
}

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
  Store(room.store).Store(stored, items, 510);
  __syncthreads();
  put(2, stored[(4 * t + 2) % 510]);
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
  put(11, other[0] + 1000.0 * other[3]);
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

inline std::string curand_text() {
  return library_text("#include <curand_kernel.h>\n", R"(
template <class State>
__device__ void draw(const Rows<double>& put, int row) {
  State state;
  curand_init(1234, threadIdx.x, 3, &state);
  for (int k = 0; k < 3; ++k) put(row + k, curand(&state));
  put(row + 3, curand_uniform(&state));
  put(row + 4, curand_uniform_double(&state));
  skipahead(1000003, &state);
  skipahead_sequence(5, &state);
  put(row + 5, curand(&state));
  put(row + 6, curand_normal(&state));
  put(row + 7, curand_normal(&state));
  put(row + 8, curand_normal_double(&state));
  put(row + 9, curand_log_normal(&state, 0.5f, 0.25f));
  put(row + 10, curand_poisson(&state, 5.0));
  put(row + 11, curand(&state));
}
)",
                      R"(
  draw<curandState>(put, 0);
  draw<curandStatePhilox4_32_10_t>(put, 12);
  draw<curandStateMRG32k3a>(put, 24);
  curandStatePhilox4_32_10_t state;
  curand_init(99, t, 0, &state);
  const uint4 four = curand4(&state);
  put(36, four.x + double(four.w));
  put(37, curand_uniform4(&state).z);
  put(38, curand_normal4(&state).w);
  put(39, curand_uniform2_double(&state).y);
)");
}

inline std::string mma_text() {
  return library_text("#include <cuda_fp16.h>\n#include <mma.h>\n", R"(
using namespace nvcuda;
)",
                      R"(
  __shared__ __half a[256], b[256];
  __shared__ float c[256], wide[2][128];
  __shared__ signed char small[2][512];
  __shared__ int sums[256];
  __shared__ double exact[3][64];
  for (int k = t; k < 256; k += 128) {
    a[k] = __float2half(float(in[k] % 7 - 3));
    b[k] = __float2half(float(in[k + 256] % 5 - 2));
    c[k] = in[k];
    sums[k] = in[k];
    if (k < 128) {
      wide[0][k] = in[k] % 9 - 4;
      wide[1][k] = in[k + 128] % 9 - 4;
    }
    if (k < 64) {
      exact[2][k] = in[k];
      if (k < 32) exact[0][k] = in[k + 7], exact[1][k] = in[k + 9];
    }
  }
  for (int k = t; k < 512; k += 128) {
    small[0][k] = in[k] - 48;
    small[1][k] = in[k + 1] - 48;
  }
  __syncthreads();
  if (t < 32) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::load_matrix_sync(left, a, 16);
    wmma::load_matrix_sync(right, b, 16);
    wmma::load_matrix_sync(sum, c, 16, wmma::mem_row_major);
    for (int k = 0; k < sum.num_elements; ++k) sum.x[k] *= 0.5f;
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_col_major);
    wmma::fragment<wmma::matrix_a, 32, 8, 16, signed char, wmma::row_major> tall;
    wmma::fragment<wmma::matrix_b, 32, 8, 16, signed char, wmma::row_major> thin;
    wmma::fragment<wmma::accumulator, 32, 8, 16, int> counts;
    wmma::fill_fragment(counts, 3);
    wmma::load_matrix_sync(tall, small[0], 16);
    wmma::load_matrix_sync(thin, small[1], 8);
    wmma::mma_sync(counts, tall, thin, counts);
    wmma::store_matrix_sync(sums, counts, 8, wmma::mem_row_major);
  } else if (t < 64) {
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum, twice;
    wmma::fill_fragment(sum, 0.0f);
    wmma::load_matrix_sync(left, wide[0], 8);
    wmma::load_matrix_sync(right, wide[1], 16);
    for (int k = 0; k < left.num_elements; ++k)
      left.x[k] = wmma::__float_to_tf32(left.x[k]);
    wmma::mma_sync(sum, left, right, sum);
    wmma::mma_sync(twice, left, right, sum);
    __shared__ float results[256];
    wmma::store_matrix_sync(results, twice, 16, wmma::mem_row_major);
    __syncwarp();
    put(2, results[8 * (t - 32) + 3]);
    wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> d_left;
    wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> d_right;
    wmma::fragment<wmma::accumulator, 8, 8, 4, double> d_sum;
    wmma::load_matrix_sync(d_left, exact[0], 4);
    wmma::load_matrix_sync(d_right, exact[1], 4);
    wmma::load_matrix_sync(d_sum, exact[2], 8, wmma::mem_row_major);
    wmma::mma_sync(d_sum, d_left, d_right, d_sum);
    wmma::store_matrix_sync(exact[2], d_sum, 8, wmma::mem_row_major);
  }
  __syncthreads();
  put(0, c[t] + 1000 * c[t + 128]);
  put(1, sums[t] + 100000.0 * sums[t + 128]);
  put(3, exact[2][t / 2]);
)");
}

/// Headers that say nothing a kernel does not know already.
inline std::string plain_text() {
  return library_text(R"(#include <cuda.h>
#include <cuda_runtime.h>
#include <cuda_runtime_api.h>
#include <device_launch_parameters.h>
#include <cuComplex.h>
#include <vector_types.h>
#include <vector_functions.h>
#include <device_functions.h>
#include <sm_30_intrinsics.h>
#include <sm_61_intrinsics.h>
)",
                      "",
                      R"(
  const cuDoubleComplex z = cuCmul(make_cuDoubleComplex(1, t), make_cuDoubleComplex(2, 3));
  put(0, z.x + 1000 * z.y);
  const cuDoubleComplex w = cuCdiv(z, make_cuDoubleComplex(2, 3));
  put(1, w.x + 1000 * w.y + cuCabs(make_cuDoubleComplex(3, 4)));
)");
}

}  // namespace kernelbatch::test
