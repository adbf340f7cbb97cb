// RawKernel and RawModule.
#include "core/base/error.hpp"
#include "core/kernel/raw/kernel.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/error_text.hpp"

namespace kernelbatch {
namespace {

using test::counting;
using test::device_array;
using test::stream;
using test::values_of;

LaunchShape threads(unsigned count) {
  LaunchShape shape;
  shape.block.x = count;
  return shape;
}

const RawKernel& scale() {
  static const RawKernel kernel{R"(
extern "C" __global__ void scale(const float* x, float* y, float factor, int n) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n) y[k] = factor * x[k];
})",
                                "scale"};
  return kernel;
}

template <class... A>
std::string launch_error(const RawKernel& kernel, const A&... arguments) {
  return test::error_text<SpecError>([&] { kernel(stream(), threads(32), arguments...); });
}

TEST_CASE("Arrays arrive as pointers and scalars as values") {
  const Array x = device_array(counting<float>(100));
  const Array y = device_array(std::vector<float>(100, -1));
  LaunchShape shape = threads(32);
  shape.grid.x = 4;
  scale()(stream(), shape, x, y, 0.5f, 99);
  const std::vector<float> got = values_of<float>(y);
  CHECK(got[98] == 49);
  CHECK(got[99] == -1);
}

TEST_CASE("The number of arguments is checked") {
  const Array x = device_array<float>({1});
  CHECK(launch_error(scale(), x, x, 1.0f) == "kernel 'scale' takes 4 arguments, 3 were given");
  CHECK(launch_error(scale(), x, x, 1.0f, 1, 1) ==
        "kernel 'scale' takes 4 arguments, 5 were given");
}

TEST_CASE("A zero in grid or block is refused") {
  const Array x = device_array<float>({1});
  LaunchShape shape = threads(32);
  shape.grid.y = 0;
  CHECK(test::error_text<SpecError>([&] { scale()(stream(), shape, x, x, 1.0f, 1); }) ==
        "launch of 'scale' with a zero in its grid (1, 0, 1) or block (32, 1, 1)");
}

TEST_CASE("An entry missing from the source does not compile") {
  const RawKernel kernel{"extern \"C\" __global__ void f() {}", "elsewhere"};
  CHECK_THAT(test::error_text<CompileError>([&] { kernel(stream(), threads(1)); }),
             Contains("elsewhere"));
}

TEST_CASE("A module separates its kernels and offers only those it was created with") {
  const RawModule module{
      "extern \"C\" __global__ void one(int* x) { *x = 1; }\n"
      "extern \"C\" __global__ void two(int* x) { *x = 2; }\n"
      "extern \"C\" __global__ void three(int* x) { *x = 3; }\n",
      {"one", "two"}};
  const Array x = device_array<int>({0});
  module.function("two")(stream(), threads(1), x);
  CHECK(values_of<int>(x)[0] == 2);
  module.function("one")(stream(), threads(1), x);
  CHECK(values_of<int>(x)[0] == 1);
  CHECK_THAT(test::error_text<SpecError>([&] { module.function("three"); }),
             Contains("the module was made without 'three'"));
}

TEST_CASE("A kernel outlives the module it came from") {
  const Array x = device_array<int>({0});
  const RawKernel kernel =
      RawModule{"extern \"C\" __global__ void one(int* x) { *x = 1; }", {"one"}}.function("one");
  kernel(stream(), threads(1), x);
  CHECK(values_of<int>(x)[0] == 1);
}

TEST_CASE("Template instances are requested by name expression") {
  const RawModule module{
      "template <class T> __global__ void fill(T* x, T value) { x[threadIdx.x] = value; }",
      {"fill<float>", "fill<double>"}};
  const Array x = device_array<float>({0, 0});
  const Array y = device_array<double>({0, 0});
  module.function("fill<float>")(stream(), threads(2), x, 1.5f);
  module.function("fill<double>")(stream(), threads(2), y, 2.5);
  CHECK(values_of<float>(x) == std::vector<float>{1.5f, 1.5f});
  CHECK(values_of<double>(y) == std::vector<double>{2.5, 2.5});
}

TEST_CASE("An embedded kernel without an image is compiled from its text") {
  const EmbeddedKernel embedded{"extern \"C\" __global__ void one(int* x) { *x = 1; }", {}};
  const RawModule module{embedded, {"one"}};
  const Array x = device_array<int>({0});
  module.function("one")(stream(), threads(1), x);
  CHECK(values_of<int>(x)[0] == 1);
}

TEST_CASE("A compile error names the module's own file and line") {
  RawOptions options;
  options.name = "mykernels";
  const RawKernel kernel{"\n\nextern \"C\" __global__ void f(int* x) { *x = what; }", "f", options};
  const Array x = device_array<int>({0});
  CHECK_THAT(test::error_text<CompileError>([&] { kernel(stream(), threads(1), x); }),
             Contains("mykernels.cu:3") || Contains("mykernels.cu(3)"));
}

TEST_CASE("Attributes are known before the first launch") {
  CHECK(scale().attributes(test::device(), 64).max_threads >= 64);
}

TEST_CASE("Complex numbers and halves are passed by value and by pointer") {
  const RawKernel kernel{R"(
#include "kernelbatch/device.hpp"
extern "C" __global__ void mix(complex<double>* z, float16* h, complex<double> a, float16 b) {
  z[0] = z[0] * a;
  h[0] = h[0] + b;
})",
                         "mix"};
  const Array z = device_array<std::complex<double>>({{0, 1}});
  const Array h = device_array<Float16>({from_float<Float16>(1.5f)});
  kernel(stream(), threads(1), z, h, std::complex<double>(0, 2), from_float<Float16>(0.25f));
  CHECK(values_of<std::complex<double>>(z)[0] == std::complex<double>(-2, 0));
  CHECK(to_float(values_of<Float16>(h)[0]) == 1.75f);
}

}  // namespace
}  // namespace kernelbatch
