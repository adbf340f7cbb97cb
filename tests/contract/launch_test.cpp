// Contract of Kernel::launch: shapes, refusals, dynamic shared memory.
#include "core/base/error.hpp"
#include "tests/contract/compile.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/error_text.hpp"

namespace kernelbatch {
namespace {

using test::grid_of;
using test::LoadedKernel;

TEST_CASE("Every thread of a 3-D grid of 3-D blocks runs once with its indices") {
  const LoadedKernel loaded(R"(
extern "C" __global__ void places(int* count, int* place) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  const int width = gridDim.x * blockDim.x, height = gridDim.y * blockDim.y;
  const int at = (z * height + y) * width + x;
  atomicAdd(&count[at], 1);
  place[at] = x + 1000 * y + 1000000 * z;
})",
                            "places");
  const Dim3 grid{3, 5, 2};
  const Dim3 block{4, 3, 7};
  const auto threads = static_cast<std::int64_t>(grid.count() * block.count());
  const Array count = test::device_array(std::vector<int>(static_cast<std::size_t>(threads), 0));
  const Array place = test::device_array(std::vector<int>(static_cast<std::size_t>(threads), -1));

  loaded.run(grid_of(grid, block), count, place);

  CHECK(test::values_of<int>(count) == std::vector<int>(static_cast<std::size_t>(threads), 1));
  std::vector<int> expected;
  for (int z = 0; z < 14; ++z)
    for (int y = 0; y < 15; ++y)
      for (int x = 0; x < 12; ++x) expected.push_back(x + 1000 * y + 1000000 * z);
  CHECK(test::values_of<int>(place) == expected);
}

TEST_CASE("A block of more threads than the device has is refused with the kernel's name") {
  const LoadedKernel loaded("extern \"C\" __global__ void f(int* x) { *x = 1; }", "f");
  const Array x = test::device_array<int>({0});

  CHECK_THAT(test::error_text<RunError>([&] { loaded.run(grid_of(1, 1025), x); }), Contains("'f'"));
  CHECK_THAT(test::error_text<RunError>([&] {
               loaded.run(grid_of(Dim3{1, 1, 1}, Dim3{32, 32, 2}), x);
             }),
             Contains("'f'"));
  CHECK(test::values_of<int>(x)[0] == 0);
}

TEST_CASE("A zero in the grid or block is refused") {
  const LoadedKernel loaded("extern \"C\" __global__ void f(int* x) { *x = 1; }", "f");
  const Array x = test::device_array<int>({0});

  CHECK_THROWS_AS(loaded.run(grid_of(Dim3{1, 0, 1}, Dim3{1, 1, 1}), x), RunError);
  CHECK_THROWS_AS(loaded.run(grid_of(Dim3{1, 1, 1}, Dim3{0, 1, 1}), x), RunError);
}

TEST_CASE("Dynamic shared memory can have any size up to a block's limit") {
  const LoadedKernel loaded(R"(
extern "C" __global__ void turn(int* x, int count) {
  extern __shared__ int words[];
  for (int k = threadIdx.x; k < count; k += blockDim.x) words[k] = k;
  __syncthreads();
  int wrong = 0;
  for (int k = threadIdx.x; k < count; k += blockDim.x) wrong += words[count - 1 - k] != count - 1 - k;
  atomicAdd(x, wrong + 1);
})",
                            "turn");
  const std::size_t most = test::device().properties().shared_per_block_optin;
  for (const std::size_t bytes :
       {std::size_t{128}, std::size_t{48 * 1024}, std::size_t{48 * 1024 + 4}, most}) {
    const Array x = test::device_array<int>({0});
    loaded.run(grid_of(4, 96, bytes), x, static_cast<int>(bytes / 4));
    CHECK(test::values_of<int>(x)[0] == 4 * 96);
  }
}

TEST_CASE("Dynamic shared memory beyond a block's limit is refused with both numbers") {
  const LoadedKernel loaded("extern \"C\" __global__ void f(int* x) { *x = 1; }", "f");
  const Array x = test::device_array<int>({0});
  const std::size_t most = test::device().properties().shared_per_block_optin;

  const std::string text =
      test::error_text<RunError>([&] { loaded.run(grid_of(1, 32, most + 16), x); });

  CHECK_THAT(text, Contains(std::to_string(most)));
  CHECK_THAT(text, Contains(std::to_string(most + 16)));
}

TEST_CASE("Dynamic shared memory is recognized in every spelling") {
  const LoadedKernel loaded(R"(
struct pair { double first; int second; };
template <class T> __device__ T* room() { extern __shared__ __align__(16) unsigned char bytes[];
  return reinterpret_cast<T*>(bytes); }
extern "C" __global__ void f(double* x) {
  pair* const pairs = room<pair>();
  pairs[threadIdx.x] = {threadIdx.x * 0.5, int(threadIdx.x)};
  __syncthreads();
  const pair other = pairs[blockDim.x - 1 - threadIdx.x];
  x[threadIdx.x] = other.first + other.second;
})",
                            "f");
  const Array x = test::device_array(std::vector<double>(8, 0));
  loaded.run(grid_of(1, 8, 8 * 16), x);
  CHECK(test::values_of<double>(x) == std::vector<double>{10.5, 9, 7.5, 6, 4.5, 3, 1.5, 0});
}

TEST_CASE("Atomics count every thread of many contending blocks") {
  const LoadedKernel loaded(R"(
extern "C" __global__ void count(int* i, unsigned long long* u, float* f, double* d, int* low, int* high,
                                 unsigned* bits) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(i, 1);
  atomicAdd(u, 1ull);
  atomicAdd(f, 1.0f);
  atomicAdd(d, 0.5);
  atomicMin(low, number);
  atomicMax(high, number);
  atomicOr(bits, 1u << (number % 32));
})",
                            "count");
  const Array i = test::device_array<int>({0});
  const Array u = test::device_array<std::uint64_t>({0});
  const Array f = test::device_array<float>({0});
  const Array d = test::device_array<double>({0});
  const Array low = test::device_array<int>({1 << 30});
  const Array high = test::device_array<int>({-1});
  const Array bits = test::device_array<unsigned>({0});

  loaded.run(grid_of(500, 128), i, u, f, d, low, high, bits);

  CHECK(test::values_of<int>(i)[0] == 64000);
  CHECK(test::values_of<std::uint64_t>(u)[0] == 64000);
  CHECK(test::values_of<float>(f)[0] == 64000.0f);
  CHECK(test::values_of<double>(d)[0] == 32000.0);
  CHECK(test::values_of<int>(low)[0] == 0);
  CHECK(test::values_of<int>(high)[0] == 63999);
  CHECK(test::values_of<unsigned>(bits)[0] == 0xffffffffu);
}

TEST_CASE("A compare-and-swap loop loses no update") {
  const LoadedKernel loaded(R"(
extern "C" __global__ void product(unsigned* x) {
  unsigned old = *x, assumed;
  do {
    assumed = old;
    old = atomicCAS(x, assumed, assumed * 3u);
  } while (old != assumed);
})",
                            "product");
  const Array x = test::device_array<unsigned>({1});
  loaded.run(grid_of(40, 64), x);
  unsigned expected = 1;
  for (int k = 0; k < 40 * 64; ++k) expected *= 3u;
  CHECK(test::values_of<unsigned>(x)[0] == expected);
}

}  // namespace
}  // namespace kernelbatch
