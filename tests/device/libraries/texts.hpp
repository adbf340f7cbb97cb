// Kernels that use CUDA's libraries: run on the device under test, and compiled for a GPU as well.
// Each is called `f` and writes rows of one value per thread: row `k` of `out`, by `put(k, value)`.
#pragma once

#include <string>

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

}  // namespace kernelbatch::test
