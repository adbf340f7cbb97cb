// Limits, attributes and global variables of raw kernels.
#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/kernel/raw/kernel.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/error_text.hpp"

namespace kernelbatch {
namespace {

using test::device;
using test::device_array;
using test::stream;
using test::values_of;

/// Fills `n` floats of dynamic shared memory, and writes their sum.
const RawKernel& shared_sum() {
  static const RawKernel kernel{R"(
extern "C" __global__ void shared_sum(float* out, int n) {
  extern __shared__ float tile[];
  for (int k = threadIdx.x; k < n; k += blockDim.x) tile[k] = 1;
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += tile[k];
    out[blockIdx.x] = sum;
  }
})",
                                "shared_sum"};
  return kernel;
}

template <class E = RunError>
std::string launch_error(const LaunchShape& shape) {
  const Array out = device_array<float>({0, 0, 0, 0});
  return test::error_text<E>([&] { shared_sum()(stream(), shape, out, 1); });
}

TEST_CASE("Shared memory of a fixed size may be declared static") {
  const RawKernel kernel{R"(
template <class T>
__device__ T total(T value) {
  static  __shared__ T room[64];
  room[threadIdx.x] = value;
  __syncthreads();
  T sum = 0;
  for (int k = 0; k < blockDim.x; ++k) sum += room[k];
  return sum;
}
extern "C" __global__ void both(float* out) {
  static __shared__ int first;
  if (threadIdx.x == 0) first = 100 * blockIdx.x;
  __syncthreads();
  const float sum = total(float(first + threadIdx.x));
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
})",
                         "both"};
  const Array out = device_array<float>({0, 0});
  kernel(stream(), {.grid = {2}, .block = {64}}, out);
  CHECK(values_of<float>(out) == std::vector<float>{2016, 8416});
}

TEST_CASE("The 48 KiB limit of dynamic shared memory is raised automatically") {
  const std::size_t most = device().properties().shared_per_block_optin;
  const Array out = device_array<float>({0});
  LaunchShape shape{.block = {64}, .shared_bytes = most};
  shared_sum()(stream(), shape, out, static_cast<int>(most / 4));
  CHECK(values_of<float>(out)[0] == static_cast<float>(most / 4));
}

TEST_CASE("Too much shared memory is an error that names the device's limit") {
  const std::size_t most = device().properties().shared_per_block_optin;
  CHECK(launch_error({.shared_bytes = most + 4}) ==
        fmt::format("kernel 'shared_sum' asks for {} bytes of dynamic shared memory; a block of "
                    "this device can have {}",
                    most + 4, most));
}

TEST_CASE("A block larger than the device's limit is an error that names it") {
  CHECK(launch_error({.block = {64, 32}}) ==
        "launch of 'shared_sum' with 2048 threads per block; at most 1024 are possible");
}

TEST_CASE("A block larger than the kernel's own limit is an error that names it") {
  if (!test::on_cuda()) {
    WARN("not checked: kernels on the host have no limits of their own");
    return;
  }
  const RawKernel kernel{
      "extern \"C\" __global__ void __launch_bounds__(128) f(int* x) { x[threadIdx.x] = 1; }", "f"};
  const Array x = device_array(std::vector<int>(256));
  CHECK_THAT(test::error_text<RunError>([&] { kernel(stream(), {.block = {256}}, x); }),
             Contains("launch of 'f' with 256 threads per block; this kernel, with ") &&
                 Contains(" registers per thread and its launch bounds, allows at most 128"));
}

TEST_CASE("A cluster that does not divide the grid, or has a zero, is refused") {
  CHECK(launch_error<SpecError>({.grid = {3}, .cluster = {2}}) ==
        "launch of 'shared_sum': the grid (3, 1, 1) is not a multiple of the cluster (2, 1, 1)");
  CHECK(launch_error<SpecError>({.cluster = {1, 0}}) ==
        "launch of 'shared_sum' with a zero in its cluster (1, 0, 1)");
}

TEST_CASE("Blocks of a cluster read each other's shared memory") {
  const RawKernel kernel{R"(
extern "C" __global__ void ranks(int* out) {
  unsigned rank, size;
  asm volatile("mov.u32 %0, %cluster_ctarank;" : "=r"(rank));
  asm volatile("mov.u32 %0, %cluster_nctarank;" : "=r"(size));
  out[blockIdx.x] = 10 * size + rank;
})",
                         "ranks"};
  const Array out = device_array<int>({0, 0, 0, 0});
  const LaunchShape shape{.grid = {4}, .cluster = {2}};
  if (test::on_cuda() && device().properties().capability_major < 9) {
    CHECK_THAT(test::error_text<UnsupportedError>([&] { kernel(stream(), shape, out); }),
               Contains("thread-block clusters need compute capability 9.0"));
    return;
  }
  kernel(stream(), shape, out);
  CHECK(values_of<int>(out) == std::vector<int>{20, 21, 20, 21});
}

TEST_CASE("Blocks of clusters with three axes run once each, ranked along x, y, z") {
  if (test::on_cuda() && device().properties().capability_major < 9) {
    WARN("not checked: thread-block clusters need compute capability 9.0");
    return;
  }
  const RawKernel kernel{R"(
extern "C" __global__ void places(int* out) {
  unsigned rank;
  asm volatile("mov.u32 %0, %cluster_ctarank;" : "=r"(rank));
  atomicAdd(&out[blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)], 100 + rank);
})",
                         "places"};
  const Array out = device_array(std::vector<int>(4 * 6 * 4));
  kernel(stream(), {.grid = {4, 6, 4}, .cluster = {2, 3, 2}}, out);
  std::vector<int> want;
  for (int z = 0; z < 4; ++z)
    for (int y = 0; y < 6; ++y)
      for (int x = 0; x < 4; ++x) want.push_back(100 + x % 2 + 2 * (y % 3 + 3 * (z % 2)));
  CHECK(values_of<int>(out) == want);
}

TEST_CASE("Distributed shared memory: a ring of blocks, static and dynamic, many clusters") {
  const RawKernel kernel{R"(
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void ring(int* out) {
  __shared__ int fixed[32];
  extern __shared__ int sized[];
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank(), next = (rank + 1) % cluster.num_blocks();
  fixed[threadIdx.x] = 100 * blockIdx.x + threadIdx.x;
  sized[threadIdx.x] = -fixed[threadIdx.x];
  cluster.sync();
  const int* theirs = cluster.map_shared_rank(fixed, next);
  const int* other = cluster.map_shared_rank(sized, next);
  out[32 * blockIdx.x + threadIdx.x] = theirs[threadIdx.x] - other[31 - threadIdx.x];
  cluster.sync();
})",
                         "ring"};
  if (test::on_cuda() && device().properties().capability_major < 9) {
    WARN("not checked: thread-block clusters need compute capability 9.0");
    return;
  }
  const Array out = device_array(std::vector<int>(32 * 12));
  kernel(stream(), {.grid = {12}, .block = {32}, .shared_bytes = 128, .cluster = {4}}, out);
  std::vector<int> want;
  for (int block = 0; block < 12; ++block)
    for (int t = 0; t < 32; ++t) {
      const int from = block / 4 * 4 + (block + 1) % 4;
      want.push_back(100 * from + t + 100 * from + 31 - t);
    }
  CHECK(values_of<int>(out) == want);
}

TEST_CASE("A cooperative grid that is too large is an error that names the largest") {
  const LaunchShape huge{.grid = {1u << 20}, .block = {1024}, .cooperative = true};
  if (!test::on_cuda()) {
    CHECK(launch_error(huge) ==
          "cooperative launch of 'shared_sum' with a grid of (1048576, 1, 1): the host device runs "
          "at most 1024 blocks at once");
    return;
  }
  const KernelAttributes attributes = shared_sum().attributes(device(), 1024);
  CHECK(launch_error(huge) ==
        fmt::format("cooperative launch of 'shared_sum' with a grid of (1048576, 1, 1): the "
                    "largest possible is {} blocks of 1024 threads, which is what the device "
                    "holds at once",
                    attributes.blocks_per_unit * device().properties().compute_units));
}

TEST_CASE("Blocks of a cooperative grid wait for each other") {
  // Every block adds one, waits for all, and reads the sum.
  const RawKernel kernel{R"(
#include <cooperative_groups.h>
extern "C" __global__ void meet(int* count, int* seen) {
  for (int round = 1; round <= 5; ++round) {
    if (threadIdx.x == 0) atomicAdd(count, 1);
    cooperative_groups::this_grid().sync();
    if (threadIdx.x == 0) seen[blockIdx.x] = *(volatile int*)count;
    cooperative_groups::this_grid().sync();
  }
})",
                         "meet"};
  const Array count = device_array<int>({0});
  const Array seen = device_array(std::vector<int>(8));
  kernel(stream(), {.grid = {8}, .block = {64}, .cooperative = true}, count, seen);
  CHECK(values_of<int>(seen) == std::vector<int>(8, 40));
}

TEST_CASE("A kernel has CuPy's ten attributes, two of which can be set") {
  const RawKernel kernel{"extern \"C\" __global__ void f(int* x) { *x = 1; }", "f"};
  const auto table = attribute_table(kernel.attributes(device()));
  CHECK(table.size() == 10);
  CHECK(table.at("max_threads_per_block") == 1024);
  if (test::on_cuda()) {
    CHECK(table.at("num_regs") > 0);
    CHECK(table.at("shared_size_bytes") >= 0);
    CHECK(table.at("const_size_bytes") >= 0);
    CHECK(table.at("local_size_bytes") == 0);
    CHECK(table.at("binary_version") ==
          device().properties().capability_major * 10 + device().properties().capability_minor);
    CHECK(table.at("ptx_version") > 0);
    CHECK(table.at("cache_mode_ca") >= 0);
  } else {
    CHECK(table.at("num_regs") == -1);
  }
  kernel.set_attribute(device(), "max_dynamic_shared_size_bytes", 50000);
  kernel.set_attribute(device(), "preferred_shared_memory_carveout", 50);
  const auto set = attribute_table(kernel.attributes(device()));
  CHECK(set.at("max_dynamic_shared_size_bytes") == 50000);
  CHECK(set.at("preferred_shared_memory_carveout") == 50);
}

TEST_CASE("Attributes or values that cannot be set are refused") {
  const RawKernel kernel{"extern \"C\" __global__ void f(int* x) { *x = 1; }", "f"};
  const auto error = [&](const char* name, std::int64_t value) {
    return test::error_text<SpecError>([&] { kernel.set_attribute(device(), name, value); });
  };
  CHECK(error("num_regs", 3) ==
        "the attribute 'num_regs' of 'f' cannot be set: only max_dynamic_shared_size_bytes and "
        "preferred_shared_memory_carveout can");
  CHECK(error("num_reg", 3) == "'f' has no attribute 'num_reg' (did you mean 'num_regs'?)");
  CHECK(error("preferred_shared_memory_carveout", 101) ==
        "preferred_shared_memory_carveout of 'f' is 101: expected -1 to 100 percent");
  const std::size_t most = device().properties().shared_per_block_optin;
  CHECK(error("max_dynamic_shared_size_bytes", 1 << 30) ==
        fmt::format("max_dynamic_shared_size_bytes of 'f' is {}: a block of this device can have "
                    "0 to {}",
                    1 << 30, most));
  CHECK(error("max_dynamic_shared_size_bytes", -1) ==
        fmt::format("max_dynamic_shared_size_bytes of 'f' is -1: a block of this device can have "
                    "0 to {}",
                    most));
}

const RawModule& with_globals() {
  static const RawModule module{R"(
__device__ int counter = 5;
__constant__ float weights[4];
namespace deep { namespace er { __device__ double value[2][3]; } }
extern "C" __global__ void use(float* out) {
  out[0] = weights[0] + 10 * weights[3];
  out[1] = float(deep::er::value[1][2]);
  atomicAdd(&counter, 1);
})",
                                {"use"}};
  return module;
}

TEST_CASE("Global variables are arrays, set before a launch and read after it") {
  const Array weights = with_globals().global(device(), "weights", DType::kFloat32, Shape{4});
  const Array counter = with_globals().global(device(), "counter", DType::kInt32, {});
  const Array deep =
      with_globals().global(device(), "deep::er::value", DType::kFloat64, Shape{2, 3});
  CHECK(values_of<int>(counter)[0] == 5);
  copy(Array::from(std::vector<float>{1, 2, 3, 4}), weights, stream());
  copy(Array::from(std::vector<double>{0, 0, 0, 0, 0, 0.5}).reshape({2, 3}), deep, stream());
  const Array out = device_array<float>({0, 0});
  with_globals().function("use")(stream(), {}, out);
  CHECK(values_of<float>(out) == std::vector<float>{41, 0.5f});
  CHECK(values_of<int>(counter)[0] == 6);
}

TEST_CASE("A missing global variable, or one of another size, is an error") {
  const auto error = [&](const char* name, DType dtype, const Shape& shape) {
    return test::error_text<SpecError>(
        [&] { with_globals().global(device(), name, dtype, shape); });
  };
  CHECK(error("nowhere", DType::kFloat32, {4}) ==
        "the compiled code has no global variable named 'nowhere'");
  CHECK(error("use", DType::kFloat32, {4}) ==
        "the compiled code has no global variable named 'use'");
  CHECK(error("weights", DType::kFloat32, {5}) ==
        "the variable 'weights' has 16 bytes; float32 of shape (5,) is 20");
}

}  // namespace
}  // namespace kernelbatch
