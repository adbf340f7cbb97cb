// Contract of a block: barriers and shared memory.
#include "core/base/error.hpp"
#include "tests/contract/compile.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

using test::grid_of;
using test::LoadedKernel;

TEST_CASE("A barrier makes the other threads' shared memory visible, repeatedly") {
  const LoadedKernel loaded(R"(
extern "C" __global__ void rotate(int* x, int rounds) {
  __shared__ int ring[256];
  const int thread = threadIdx.x, count = blockDim.x;
  ring[thread] = thread;
  for (int k = 0; k < rounds; ++k) {
    __syncthreads();
    const int next = ring[(thread + 1) % count];
    __syncthreads();
    ring[thread] = next;
  }
  x[blockIdx.x * count + thread] = ring[thread];
})",
                            "rotate");
  for (const int threads : {1, 2, 31, 32, 33, 256}) {
    const Array x = test::device_array(std::vector<int>(static_cast<std::size_t>(threads) * 9, -1));
    loaded.run(grid_of(9, static_cast<unsigned>(threads)), x, 37);
    std::vector<int> expected;
    for (int block = 0; block < 9; ++block)
      for (int thread = 0; thread < threads; ++thread) expected.push_back((thread + 37) % threads);
    CHECK(test::values_of<int>(x) == expected);
  }
}

TEST_CASE("A barrier counts and votes over the whole block") {
  const LoadedKernel loaded(R"(
extern "C" __global__ void vote(int* x, int limit) {
  const int yes = threadIdx.x < limit;
  const int count = __syncthreads_count(yes);
  const int all = __syncthreads_and(yes) != 0;
  const int any = __syncthreads_or(yes) != 0;
  x[threadIdx.x] = count * 4 + all * 2 + any;
})",
                            "vote");
  for (const int limit : {0, 1, 33, 99, 100}) {
    const Array x = test::device_array(std::vector<int>(100, -1));
    loaded.run(grid_of(1, 100), x, limit);
    const int expected = limit * 4 + (limit == 100 ? 2 : 0) + (limit > 0 ? 1 : 0);
    CHECK(test::values_of<int>(x) == std::vector<int>(100, expected));
  }
}

TEST_CASE("Every thread gets the vote's result even if others end right after it") {
  const LoadedKernel loaded(R"(
extern "C" __global__ void last_vote(int* x) {
  x[threadIdx.x] = __syncthreads_and(1) != 0;
})",
                            "last_vote");
  const Array x = test::device_array(std::vector<int>(70, -1));
  loaded.run(grid_of(1, 70), x);
  CHECK(test::values_of<int>(x) == std::vector<int>(70, 1));
}

TEST_CASE("Sums over a block of any size are correct") {
  const LoadedKernel loaded(R"(
extern "C" __global__ void sum(const int* x, int* total, int n) {
  __shared__ int part[1024];
  const int thread = threadIdx.x;
  const int at = blockIdx.x * blockDim.x + thread;
  part[thread] = at < n ? x[at] : 0;
  __syncthreads();
  for (int stride = 512; stride > 0; stride /= 2) {
    if (thread < stride && thread + stride < blockDim.x) part[thread] += part[thread + stride];
    __syncthreads();
  }
  if (thread == 0) atomicAdd(total, part[0]);
})",
                            "sum");
  constexpr int kCount = 5003;
  const Array x = test::device_array(test::counting<int>(kCount));
  for (const unsigned threads : {1u, 31u, 32u, 33u, 100u, 1024u}) {
    const Array total = test::device_array<int>({0});
    loaded.run(grid_of((kCount + threads - 1) / threads, threads), x, total, kCount);
    CHECK(test::values_of<int>(total)[0] == kCount * (kCount - 1) / 2);
  }
}

TEST_CASE("Two-dimensional tiles in shared memory transpose a matrix") {
  const LoadedKernel loaded(R"(
extern "C" __global__ void transpose(const float* x, float* y, int rows, int columns) {
  __shared__ float tile[16][17];
  int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row < rows && column < columns) tile[threadIdx.y][threadIdx.x] = x[row * columns + column];
  __syncthreads();
  column = blockIdx.y * 16 + threadIdx.x;
  row = blockIdx.x * 16 + threadIdx.y;
  if (row < columns && column < rows) y[row * rows + column] = tile[threadIdx.x][threadIdx.y];
})",
                            "transpose");
  constexpr int kRows = 37;
  constexpr int kColumns = 50;
  const Array x = test::device_array(test::counting<float>(kRows * kColumns));
  const Array y = test::device_array(std::vector<float>(kRows * kColumns, -1));

  loaded.run(grid_of(Dim3{4, 3, 1}, Dim3{16, 16, 1}), x, y, kRows, kColumns);

  const Array expected = x.reshape({kRows, kColumns}).transpose();
  CHECK(test::values_of<float>(y) == test::values_of<float>(expected));
}

}  // namespace
}  // namespace kernelbatch
