// Deadlocks of threads are detected and reported.
#include "core/base/error.hpp"
#include "tests/contract/compile.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/error_text.hpp"

namespace kernelbatch {
namespace {

using test::grid_of;
using test::LoadedKernel;

TEST_CASE("A barrier and a warp operation that wait for each other deadlock") {
  const LoadedKernel loaded(R"(
extern "C" __global__ void stuck(int* x) {
  if (threadIdx.x >= 40) return;
  if (threadIdx.x == 0)
    __syncthreads();
  else
    __syncwarp();
  x[0] = 1;
})",
                            "stuck");
  const Array x = test::device_array<int>({0});

  const std::string text = test::error_text<RunError>([&] { loaded.run(grid_of(1, 50), x); });

  CHECK(
      text ==
      "deadlock in block (0, 0, 0): of 50 threads, 18 have ended, 1 wait at a barrier and 31 at a "
      "warp operation; the first waiting one is thread 0");
}

TEST_CASE("The message names the deadlocked block") {
  const LoadedKernel loaded(R"(
extern "C" __global__ void stuck(int* x) {
  if (blockIdx.x == 2 && blockIdx.y == 1) {
    if (threadIdx.x % 2 == 0) __syncthreads(); else __syncwarp();
  }
})",
                            "stuck");
  const Array x = test::device_array<int>({0});
  CHECK_THAT(test::error_text<RunError>([&] {
               loaded.run(grid_of(Dim3{4, 3, 1}, Dim3{64, 1, 1}), x);
             }),
             Contains("deadlock in block (2, 1, 0)"));
}

TEST_CASE("After a deadlock the device runs other kernels, and the same one again") {
  const LoadedKernel loaded(R"(
extern "C" __global__ void maybe(int* x, int wrong) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  if (wrong && threadIdx.x == 5) __syncwarp(); else __syncthreads();
  atomicAdd(&sum, 1);
  __syncthreads();
  x[blockIdx.x] = sum;
})",
                            "maybe");
  for (int repeat = 0; repeat < 5; ++repeat) {
    const Array x = test::device_array(std::vector<int>(8, 0));
    CHECK_THROWS_AS(loaded.run(grid_of(8, 96), x, 1), RunError);
    loaded.run(grid_of(8, 96), x, 0);
    CHECK(test::values_of<int>(x) == std::vector<int>(8, 96));
  }
}

}  // namespace
}  // namespace kernelbatch
