// Unordered accesses of two threads to one place.
#include "tests/sanitize/checked.hpp"

namespace kernelbatch {
namespace {

using test::findings_of;
using test::grid_of;
using test::Texts;

TEST_CASE("A sum over a block without a barrier between its steps is a race") {
  CHECK(findings_of(R"(extern "C" __global__ void f(const int* x, int* y, int n) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int d = 32; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
  }
  if (t == 0) y[0] = s[0];
})",
                    grid_of(1, 64)) ==
        Texts{"race: kernel 'f', source:7:21  if (t < d) s[t] += s[t + d];\n"
              "  thread (1,0,0) of block (0,0,0) writes s[1], which thread (0,0,0) reads at "
              "source:7:31, with no __syncwarp() or barrier between\n"
              "  found 57 times in 1 block; first seen in call 1"});
}

TEST_CASE("A sum over a block with its barriers is not a race") {
  CHECK(findings_of(R"(extern "C" __global__ void f(const int* x, int* y, int n) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int d = 32; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
})",
                    grid_of(3, 64)) == Texts{});
}

TEST_CASE("Blocks that write one element race although they run one after the other") {
  CHECK(findings_of(R"(extern "C" __global__ void f(const int* x, int* y, int n) {
  if (threadIdx.x == 0) y[5] = blockIdx.x;
})",
                    grid_of(3, 32)) ==
        Texts{"race: kernel 'f', source:2:30  if (threadIdx.x == 0) y[5] = blockIdx.x;\n"
              "  thread (0,0,0) of block (1,0,0) writes y[5], which thread (0,0,0) of block "
              "(0,0,0) writes at source:2:30, and nothing orders the two blocks\n"
              "  found 2 times in 2 blocks; first seen in call 1"});
}

TEST_CASE("Writing the same value is harmless") {
  CHECK(findings_of(R"(extern "C" __global__ void f(const int* x, int* y, int n) {
  if (x[threadIdx.x] > 3) y[0] = 1;
})",
                    grid_of(1, 64)) ==
        Texts{"race (same value): kernel 'f', source:2:32  if (x[threadIdx.x] > 3) y[0] = 1;\n"
              "  thread (5,0,0) of block (0,0,0) writes y[0], which thread (4,0,0) writes at "
              "source:2:32, with no __syncwarp() or barrier between; both write the same value\n"
              "  found 59 times in 1 block; first seen in call 1"});
}

TEST_CASE("A plain update races with an atomic one") {
  CHECK(findings_of(R"(extern "C" __global__ void f(const int* x, int* y, int n) {
  if (blockIdx.x == 0 && threadIdx.x == 0) y[0] = 0;
  atomicAdd(&y[1 + (threadIdx.x & 1)], 0 * x[threadIdx.x]);
  if (threadIdx.x == 7) y[1] = 3;
})",
                    grid_of(1, 32)) ==
        Texts{"race: kernel 'f', source:4:30  if (threadIdx.x == 7) y[1] = 3;\n"
              "  thread (7,0,0) of block (0,0,0) writes y[1], which thread (6,0,0) updates at "
              "source:3:12, with no __syncwarp() or barrier between; only one of them is atomic or "
              "volatile\n"
              "  found 2 times in 1 block; first seen in call 1"});
}

TEST_CASE("A plain store before the thread's own atomic operation is still checked") {
  CHECK(
      findings_of(R"(extern "C" __global__ void f(const int* x, int* y, int n) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  atomicAdd(&sum, x[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) y[0] = sum;
})",
                  grid_of(1, 64)) ==
      Texts{
          "race: kernel 'f', source:4:12  atomicAdd(&sum, x[threadIdx.x]);\n"
          "  thread (1,0,0) of block (0,0,0) updates sum[0], which thread (0,0,0) writes "
          "at source:3:29, with no __syncwarp() or barrier between; only one of them is atomic or "
          "volatile\n"
          "  found once in 1 block; first seen in call 1"});
}

TEST_CASE("A thread that has seen all tickets may reset the counter") {
  CHECK(findings_of(R"(__device__ unsigned ticket;
extern "C" __global__ void f(const int* x, int* y, int n) {
  y[blockIdx.x] = x[blockIdx.x];
  __threadfence();
  if (atomicAdd(&ticket, 1u) != gridDim.x - 1) return;
  __threadfence();
  int sum = 0;
  for (int k = 0; k < (int)gridDim.x; ++k) sum += y[k];
  y[63] = sum;
  ticket = 0;
})",
                    grid_of(8, 1)) == Texts{});
}

constexpr const char* kLastBlock = R"(__device__ unsigned ticket;
extern "C" __global__ void f(const int* x, int* y, int n) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    y[blockIdx.x] = x[blockIdx.x];
    FENCE;
    last = atomicAdd(&ticket, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int k = 0; k < (int)gridDim.x; ++k) sum += y[k];
    y[63] = sum;
  }
})";

TEST_CASE("The last block may read data fenced before the other blocks' tickets") {
  CHECK(findings_of("#define FENCE __threadfence()\n#line 1 \"source\"\n" + std::string(kLastBlock),
                    grid_of(8, 32)) == Texts{});
  CHECK(
      findings_of("#define FENCE\n#line 1 \"source\"\n" + std::string(kLastBlock),
                  grid_of(8, 32)) ==
      Texts{
          "race: kernel 'f', source:13:56  for (int k = 0; k < (int)gridDim.x; ++k) sum += y[k];\n"
          "  thread (0,0,0) of block (7,0,0) reads y[0], which thread (0,0,0) of block (0,0,0) "
          "writes at source:5:19, and nothing orders the two blocks\n"
          "  found 7 times in 1 block; first seen in call 1"});
  // Only of block scope.
  CHECK(
      findings_of(
          "#define FENCE __threadfence_block()\n#line 1 \"source\"\n" + std::string(kLastBlock),
          grid_of(8, 32)) ==
      Texts{
          "race: kernel 'f', source:13:56  for (int k = 0; k < (int)gridDim.x; ++k) sum += y[k];\n"
          "  thread (0,0,0) of block (7,0,0) reads y[0], which thread (0,0,0) of block (0,0,0) "
          "writes at source:5:19, and nothing orders the two blocks\n"
          "  found 7 times in 1 block; first seen in call 1"});
}

TEST_CASE("Rounds of one barrier order accesses before each round, not after") {
  const std::string text = R"(extern "C" __global__ void f(const int* x, int* y, int n) {
  __shared__ int s[64];
  asm volatile("bar.sync 1, 64;" ::: "memory");
  s[threadIdx.x] = x[threadIdx.x];
  ORDER
  y[threadIdx.x] = s[63 - threadIdx.x];
  asm volatile("bar.sync 1, 64;" ::: "memory");
})";
  CHECK(findings_of("#define ORDER asm volatile(\"bar.sync 1, 64;\" ::: \"memory\");\n#line 1 "
                    "\"source\"\n" +
                        text,
                    grid_of(1, 64)) == Texts{});
  const Texts found = findings_of("#define ORDER\n#line 1 \"source\"\n" + text, grid_of(1, 64));
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0], Contains("race: kernel 'f'"));
  CHECK_THAT(found[0], Contains("with no barrier between"));
}

TEST_CASE("A relaxed store publishes only its own value") {
  const std::string text = R"(#include <cuda/atomic>
extern "C" __global__ void f(const int* x, int* y, int n) {
  __shared__ int flag, value;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  cuda::atomic_ref<int, cuda::thread_scope_block> ready(flag);
  if (threadIdx.x == 0) {
    value = x[9];
    ready.store(1, cuda::std::memory_order_ORDER);
  }
  if (threadIdx.x == 32) {
    while (ready.load(cuda::std::memory_order_acquire) == 0) {}
    y[0] = value;
  }
})";
  const auto with = [&](const std::string& order) {
    std::string changed = text;
    changed.replace(changed.find("ORDER"), 5, order);
    return findings_of(changed, grid_of(1, 64));
  };
  CHECK(with("release") == Texts{});
  const Texts found = with("relaxed");
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0], Contains("reads value[0], which thread (0,0,0) writes at source:8:11"));
}

TEST_CASE("Lanes of a warp are ordered only by __syncwarp and shuffles") {
  const std::string text = R"(extern "C" __global__ void f(const int* x, int* y, int n) {
  __shared__ int s[32];
  s[threadIdx.x] = x[threadIdx.x];
  ORDER;
  y[threadIdx.x] = s[(threadIdx.x + 1) % 32];
})";
  CHECK(findings_of("#define ORDER __syncwarp()\n#line 1 \"source\"\n" + text, grid_of(1, 32)) ==
        Texts{});
  CHECK(findings_of("#define ORDER __shfl_sync(0xffffffffu, 1, 0)\n#line 1 \"source\"\n" + text,
                    grid_of(1, 32)) == Texts{});
  CHECK(findings_of("#define ORDER\n#line 1 \"source\"\n" + text, grid_of(1, 32)) ==
        Texts{"race: kernel 'f', source:3:18  s[threadIdx.x] = x[threadIdx.x];\n"
              "  thread (1,0,0) of block (0,0,0) writes s[1], which thread (0,0,0) reads at "
              "source:5:44, with no __syncwarp() or barrier between\n"
              "  found 32 times in 1 block; first seen in call 1"});
  // Only lanes 0 to 15.
  CHECK(findings_of("#define ORDER if (threadIdx.x < 16) __syncwarp(0xffffu)\n#line 1 "
                    "\"source\"\n" +
                        text,
                    grid_of(1, 32)) ==
        Texts{"race: kernel 'f', source:3:18  s[threadIdx.x] = x[threadIdx.x];\n"
              "  thread (16,0,0) of block (0,0,0) writes s[16], which thread (15,0,0) reads at "
              "source:5:44, with no __syncwarp() or barrier between\n"
              "  found 17 times in 1 block; first seen in call 1"});
}

TEST_CASE("Tiles of several warps and copies by a group are ordered by their own barriers") {
  CHECK(findings_of(R"(#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
extern "C" __global__ void f(const int* x, int* y, int n) {
  __shared__ int copy[66];
  __shared__ int s[64];
  cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, copy + 1, x, 64 * sizeof(int));
  cg::wait(block);
  const auto tile = cg::tiled_partition<64>(block);
  s[threadIdx.x] = copy[1 + threadIdx.x];
  tile.sync();
  y[threadIdx.x] = s[63 - threadIdx.x] + tile.any(threadIdx.x == 3);
})",
                    grid_of(1, 64)) == Texts{});
}

}  // namespace
}  // namespace kernelbatch
