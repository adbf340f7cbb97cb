// Blocks of threads on one CPU thread: barriers, stacks, reuse.
#include "core/base/error.hpp"
#include "tests/contract/compile.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

using test::grid_of;
using test::LoadedKernel;

TEST_CASE("Threads that have ended count as arrived at every later barrier") {
  const LoadedKernel loaded(R"(
extern "C" __global__ void leave(int* x, int rounds) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  for (int k = 0; k < rounds; ++k) {
    if (threadIdx.x >= blockDim.x - 100 * k) return;
    atomicAdd(&sum, 1);
    __syncthreads();
  }
  if (threadIdx.x == 0) x[blockIdx.x] = sum;
})",
                            "leave");
  const Array x = test::device_array(std::vector<int>(20, 0));
  loaded.run(grid_of(20, 1000), x, 5);
  CHECK(test::values_of<int>(x) == std::vector<int>(20, 1000 + 900 + 800 + 700 + 600));
}

TEST_CASE("The end of the last running thread releases waiting ones") {
  const LoadedKernel loaded(R"(
extern "C" __global__ void last(int* x) {
  if (threadIdx.x != blockDim.x - 1) __syncthreads();
  x[threadIdx.x] = 1;
})",
                            "last");
  const Array x = test::device_array(std::vector<int>(77, 0));
  loaded.run(grid_of(1, 77), x);
  CHECK(test::values_of<int>(x) == std::vector<int>(77, 1));
}

TEST_CASE("Barriers at different places of the text match") {
  const LoadedKernel loaded(R"(
extern "C" __global__ void diverge(int* x) {
  __shared__ int values[64];
  const int t = threadIdx.x;
  if (t % 2 == 0) {
    values[t] = t;
    __syncthreads();
    x[t] = values[t + 1];
  } else {
    values[t] = 10 * t;
    __syncthreads();
    x[t] = values[t - 1];
  }
})",
                            "diverge");
  const Array x = test::device_array(std::vector<int>(64, 0));
  loaded.run(grid_of(1, 64), x);
  std::vector<int> expected;
  for (int t = 0; t < 64; ++t) expected.push_back(t % 2 == 0 ? 10 * (t + 1) : t - 1);
  CHECK(test::values_of<int>(x) == expected);
}

TEST_CASE("Votes of a barrier count only living threads") {
  const LoadedKernel loaded(R"(
extern "C" __global__ void rest(int* x) {
  if (threadIdx.x % 3 == 0) return;
  const int count = __syncthreads_count(threadIdx.x % 3 == 1);
  const int all = __syncthreads_and(threadIdx.x % 3 != 0);
  const int any = __syncthreads_or(threadIdx.x % 3 == 0);
  x[threadIdx.x] = count * 10 + (all != 0) * 2 + (any != 0);
})",
                            "rest");
  const Array x = test::device_array(std::vector<int>(99, -1));
  loaded.run(grid_of(1, 99), x);
  std::vector<int> expected;
  for (int t = 0; t < 99; ++t) expected.push_back(t % 3 == 0 ? -1 : 33 * 10 + 2);
  CHECK(test::values_of<int>(x) == expected);
}

TEST_CASE("Lanes that have ended do not block a warp") {
  const LoadedKernel loaded(R"(
extern "C" __global__ void few(int* x) {
  if (threadIdx.x >= 20 && threadIdx.x % 2 == 1) return;
  const unsigned left = __ballot_sync(0xffffffffu, 1);
  __syncwarp();
  x[threadIdx.x] = __popc(left);
})",
                            "few");
  const Array x = test::device_array(std::vector<int>(32, 0));
  loaded.run(grid_of(1, 32), x);
  CHECK(test::values_of<int>(x)[0] == 26);
  CHECK(test::values_of<int>(x)[30] == 26);
}

TEST_CASE("Blocks of 1024 threads wait together, many times") {
  const LoadedKernel loaded(R"(
extern "C" __global__ void ring(int* x) {
  __shared__ int values[1024];
  const int t = threadIdx.z * 64 + threadIdx.y * 16 + threadIdx.x;
  values[t] = t;
  for (int k = 0; k < 50; ++k) {
    __syncthreads();
    const int next = values[(t + 1) % 1024];
    __syncthreads();
    values[t] = next;
  }
  x[t] = values[t];
})",
                            "ring");
  const Array x = test::device_array(std::vector<int>(1024, 0));
  loaded.run(grid_of(Dim3{1, 1, 1}, Dim3{16, 4, 16}), x);
  std::vector<int> expected;
  for (int t = 0; t < 1024; ++t) expected.push_back((t + 50) % 1024);
  CHECK(test::values_of<int>(x) == expected);
}

TEST_CASE("Waiting threads have their own deep stacks") {
  const LoadedKernel loaded(R"(
__device__ __noinline__ int deep(int level, int seed) {
  volatile int room[256];
  for (int k = 0; k < 256; ++k) room[k] = seed + k;
  if (level == 0) __syncthreads();
  const int below = level == 0 ? 0 : deep(level - 1, seed + 1);
  int sum = below;
  for (int k = 0; k < 256; ++k) sum += room[k] - k;
  return sum;
}
extern "C" __global__ void stacks(int* x) { x[threadIdx.x] = deep(150, threadIdx.x); })",
                            "stacks");
  const Array x = test::device_array(std::vector<int>(64, 0));
  loaded.run(grid_of(3, 64), x);
  std::vector<int> expected;
  for (int t = 0; t < 64; ++t) {
    int sum = 0;
    for (int level = 0; level <= 150; ++level) sum += 256 * (t + level);
    expected.push_back(sum);
  }
  CHECK(test::values_of<int>(x) == expected);
}

TEST_CASE("Ten thousand blocks reuse the same stacks") {
  const LoadedKernel loaded(R"(
extern "C" __global__ void many(unsigned long long* total) {
  __shared__ int flag;
  if (threadIdx.x == 0) flag = blockIdx.x;
  __syncthreads();
  const int sum = __shfl_xor_sync(~0u, flag, 1);
  __syncthreads();
  atomicAdd(total, static_cast<unsigned long long>(sum));
})",
                            "many");
  const Array total = test::device_array<std::uint64_t>({0});
  loaded.run(grid_of(10000, 64), total);
  CHECK(test::values_of<std::uint64_t>(total)[0] == 64ull * (9999ull * 10000 / 2));
}

TEST_CASE("Dynamic shared memory is not initialized to zero") {
  const LoadedKernel loaded(R"(
extern "C" __global__ void peek(int* x) {
  extern __shared__ int words[];
  x[threadIdx.x] = words[threadIdx.x];
  words[threadIdx.x] = 0;
})",
                            "peek");
  for (int repeat = 0; repeat < 2; ++repeat) {
    const Array x = test::device_array(std::vector<int>(32, 0));
    loaded.run(grid_of(1, 32, 128), x);
    for (const int word : test::values_of<int>(x)) CHECK(word != 0);
  }
}

TEST_CASE("Dynamic shared memory can be declared outside functions") {
  const LoadedKernel loaded(R"(
extern __shared__ int words[];
namespace parts {
extern "C" {
extern __shared__ __align__(16) double pairs[];
}
__device__ int neighbour() { return words[(threadIdx.x + 1) % blockDim.x]; }
}
extern "C" __global__ void turn(int* x) {
  words[threadIdx.x] = static_cast<int>(blockIdx.x * 100 + threadIdx.x);
  __syncthreads();
  x[blockIdx.x * blockDim.x + threadIdx.x] = parts::neighbour();
  if (reinterpret_cast<char*>(words) != reinterpret_cast<char*>(parts::pairs)) x[0] = -1;
})",
                            "turn");
  const Array x = test::device_array(std::vector<int>(6 * 32, 0));
  loaded.run(grid_of(6, 32, 128), x);
  const std::vector<int> got = test::values_of<int>(x);
  for (int k = 0; k < 6 * 32; ++k)
    CHECK(got[static_cast<std::size_t>(k)] == k / 32 * 100 + (k + 1) % 32);
}

TEST_CASE("A failed block of a cooperative grid releases waiting blocks") {
  const LoadedKernel loaded(R"(
extern "C" __global__ void f(int* x) {
  if (blockIdx.x == 1) { if (threadIdx.x % 2) __syncthreads(); else __syncwarp(); }
  __kernelbatch_grid_sync();
  x[blockIdx.x] = 1;
})",
                            "f");
  const Array x = test::device_array<int>({0, 0, 0, 0});
  LaunchShape shape = grid_of(4, 32);
  shape.cooperative = true;
  CHECK_THROWS_AS(loaded.run(shape, x), RunError);
  CHECK(test::values_of<int>(x) == std::vector<int>(4, 0));
  shape.grid.x = 1;
  loaded.run(shape, x);
  CHECK(test::values_of<int>(x)[0] == 1);
}

TEST_CASE("Tiles of one warp do not wait for each other") {
  // Tile 0 makes many more exchanges than tile 1; a barrier follows both.
  const LoadedKernel loaded(R"(
extern "C" __global__ void tiles(int* x) {
  const unsigned tile = threadIdx.x / 8;
  const unsigned mask = 0xffu << (8 * tile);
  int value = threadIdx.x;
  for (unsigned k = 0; k < 20 / (tile + 1); ++k) value = __shfl_sync(mask, value, (threadIdx.x + 1) % 8, 8);
  __syncthreads();
  x[threadIdx.x] = value;
})",
                            "tiles");
  const Array x = test::device_array(std::vector<int>(32, -1));
  loaded.run(grid_of(1, 32), x);
  const std::vector<int> got = test::values_of<int>(x);
  for (int t = 0; t < 32; ++t)
    CHECK(got[static_cast<std::size_t>(t)] == t / 8 * 8 + (t % 8 + 20 / (t / 8 + 1)) % 8);
}

TEST_CASE("Lanes that end do not split the others' __activemask group") {
  const LoadedKernel loaded(R"(
extern "C" __global__ void leave(int* x) {
  if (threadIdx.x % 7 == 3) return;
  x[threadIdx.x] = __popc(__ballot_sync(__activemask(), 1)) > 0;
  x[threadIdx.x] += __any_sync(__activemask(), threadIdx.x == 30);
})",
                            "leave");
  const Array x = test::device_array(std::vector<int>(32, 0));
  loaded.run(grid_of(1, 32), x);
  const std::vector<int> got = test::values_of<int>(x);
  for (int t = 0; t < 32; ++t) CHECK(got[static_cast<std::size_t>(t)] == (t % 7 == 3 ? 0 : 2));
}

TEST_CASE("A thread that yields lets other threads continue") {
  const LoadedKernel loaded(R"(
#ifdef KERNELBATCH_ON_HOST
#define REST() __kernelbatch_yield()
#else
#define REST() __nanosleep(100)
#endif
extern "C" __global__ void chain(int* x, int rounds) {
  const int t = threadIdx.x, next = (t + 1) % int(blockDim.x);
  __shared__ volatile int turn;
  if (t == 0) turn = 0;
  __syncthreads();
  for (int k = 0; k < rounds; ++k) {
    while (turn != t) REST();
    x[t] += k;
    __threadfence_block();
    turn = next;
  }
})",
                            "chain");
  const Array x = test::device_array(std::vector<int>(66, 0));
  loaded.run(grid_of(1, 66), x, 100);
  CHECK(test::values_of<int>(x) == std::vector<int>(66, 4950));
}

TEST_CASE("Lanes that take the same branch share an active mask") {
  const LoadedKernel loaded(R"(
extern "C" __global__ void branch(unsigned* x) {
  const int t = threadIdx.x;
  unsigned mask = 0;
  if (t % 3 == 1) {
    mask = __activemask();
  } else if (t % 3 == 2) {
    __syncwarp(0x24924924u);
    x[t] = __activemask();
    return;
  }
  __syncthreads();
  x[t] = t % 3 == 0 ? __activemask() : mask;
})",
                            "branch");
  const Array x = test::device_array(std::vector<unsigned>(30, 0));
  loaded.run(grid_of(1, 30), x);
  const std::vector<unsigned> got = test::values_of<unsigned>(x);
  for (unsigned t = 0; t < 30; ++t) CHECK(got[t] == (0x09249249u << t % 3));
}

}  // namespace
}  // namespace kernelbatch
