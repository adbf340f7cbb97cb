// The two execution orders of a block's threads: correct kernels give the same result, racy ones do
// not.
#include "tests/contract/compile.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment.hpp"

namespace kernelbatch {
namespace {

using test::grid_of;
using test::LoadedKernel;

std::vector<int> run_in_order(const LoadedKernel& loaded, const std::string& order) {
  const test::EnvironmentVariable variable("KERNELBATCH_HOST_THREAD_ORDER", order);
  const Array x = test::device_array(std::vector<int>(128, 0));
  loaded.run(grid_of(1, 128), x);
  return test::values_of<int>(x);
}

constexpr const char* kShift = R"(
extern "C" __global__ void shift(int* x) {
  __shared__ int values[128];
  const int t = threadIdx.x;
  values[t] = 0;
  __syncthreads();
  values[t] = t + 1;
  BARRIER
  x[t] = values[(t + 1) % 128];
})";

LoadedKernel shift_with(const std::string& barrier) {
  std::string text = kShift;
  for (std::size_t at; (at = text.find("BARRIER")) != std::string::npos;)
    text.replace(at, 7, barrier);
  return {text, "shift"};
}

TEST_CASE("A kernel with its barriers gives the same result in both orders") {
  const LoadedKernel loaded = shift_with("__syncthreads();");
  const std::vector<int> forward = run_in_order(loaded, "");
  CHECK(forward[0] == 2);
  CHECK(forward[127] == 1);
  CHECK(run_in_order(loaded, "reverse") == forward);
}

TEST_CASE("A kernel without its barriers gives different results") {
  const LoadedKernel loaded = shift_with("");
  CHECK(run_in_order(loaded, "reverse") != run_in_order(loaded, ""));
}

TEST_CASE("In reverse order shared memory of an earlier block is overwritten") {
  const LoadedKernel loaded(R"(
extern "C" __global__ void keep(int* x) {
  __shared__ int left;
  if (x[0] == 0) left = 7;
  x[threadIdx.x] = left;
})",
                            "keep");
  const test::EnvironmentVariable threads("KERNELBATCH_THREADS", "1");
  const auto second_block = [&](const std::string& order) {
    const test::EnvironmentVariable variable("KERNELBATCH_HOST_THREAD_ORDER", order);
    const Array first = test::device_array(std::vector<int>(1, 0));
    const Array second = test::device_array(std::vector<int>(1, 1));
    loaded.run(grid_of(1, 1), first);
    loaded.run(grid_of(1, 1), second);
    return test::values_of<int>(second)[0];
  };
  CHECK(second_block("reverse") == static_cast<int>(0xA5A5A5A5));
}

TEST_CASE("Reverse order begins with the last thread and runs every one") {
  const LoadedKernel loaded(R"(
extern "C" __global__ void first(int* x) {
  __shared__ int next;
  if (x[0] == 0) { next = 0; x[0] = 1; }
  x[threadIdx.x] = ++next;
})",
                            "first");
  CHECK(run_in_order(loaded, "")[127] == 128);
  CHECK(run_in_order(loaded, "reverse")[127] == 1);
}

TEST_CASE("Warp operations give the same result in both orders") {
  const LoadedKernel loaded(R"(
extern "C" __global__ void warp(int* x) {
  const int t = threadIdx.x;
  int sum = t;
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  x[t] = sum + static_cast<int>(__ballot_sync(~0u, t % 5 == 0) & 0xffff);
})",
                            "warp");
  CHECK(run_in_order(loaded, "reverse") == run_in_order(loaded, ""));
}

}  // namespace
}  // namespace kernelbatch
