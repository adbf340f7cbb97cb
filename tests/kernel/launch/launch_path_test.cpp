// Host cost of a raw kernel's launch after the first: no allocation.
#include "core/kernel/raw/kernel.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/launch_cost.hpp"

namespace kernelbatch {
namespace {

using test::allocations_of;
using test::device_array;
using test::stream;

TEST_CASE("The counter counts") {
  CHECK(allocations_of([] { std::vector<int>(10).at(0) = 1; }) == 1000);
}

TEST_CASE("Launching a raw kernel again allocates nothing") {
  const RawKernel kernel{R"(
#include "kernelbatch/device.hpp"
extern "C" __global__ void f(float* x, const double* y, int n, float a, complex<double> z,
                             array_view<const float, 2> view) {
  __syncthreads();
  if (threadIdx.x == 0) x[0] += a * n * float(y[0] + z.re) * view(0, 0);
})",
                         "f"};
  const Array x = device_array<float>({0, 0});
  const Array y = device_array<double>({1});
  const Array view = device_array<float>({1, 2, 3, 4}, {2, 2}).transpose();
  LaunchShape shape;
  shape.block.x = 64;
  shape.shared_bytes = 1024;
  CHECK(allocations_of([&] {
          kernel(stream(), shape, x, y, 1, 1.0f, std::complex<double>(0, 1), view);
        }) == 0);
  CHECK(test::values_of<float>(x)[0] == 1001);
}

TEST_CASE("Two alternating signatures of one kernel allocate nothing") {
  const RawKernel kernel{"extern \"C\" __global__ void f(void* x) { *(char*)x = 1; }", "f"};
  const Array x = device_array<float>({0});
  const Array y = device_array<int>({0});
  CHECK(allocations_of([&] {
          kernel(stream(), {}, x);
          kernel(stream(), {}, y);
        }) == 0);
}

TEST_CASE("Host cost of a raw launch", "[.][benchmark]") {
  const RawKernel kernel{
      "extern \"C\" __global__ void f(float* x, const float* y, int n) { if (n < 0) x[0] = y[0]; }",
      "f"};
  const Array x = device_array<float>({0});
  test::report_launch_cost(test::host_seconds([&] { kernel(stream(), {}, x, x, 1); }),
                           "a raw kernel");
}

}  // namespace
}  // namespace kernelbatch
