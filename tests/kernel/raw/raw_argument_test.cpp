// How raw kernels check and pass their arguments.
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

constexpr LaunchShape kOneThread{};

const RawKernel& my_add() {
  static const RawKernel kernel{R"(
extern "C" __global__ void my_add(const float* x1, const float* x2, float* y, long long n, float a,
                                  void* any) {
  for (long long k = 0; k < n; ++k) y[k] = a * (x1[k] + x2[k]);
  if (any) *static_cast<char*>(any) = 1;
})",
                                "my_add"};
  return kernel;
}

template <class... A>
std::string raw_launch_error(const RawKernel& kernel, const A&... arguments) {
  return test::error_text<SpecError>([&] { kernel(stream(), kOneThread, arguments...); });
}

TEST_CASE("Kinds and dtypes of arguments are checked against the source") {
  const Array f = device_array<float>({1});
  const Array d = device_array<double>({1});
  const std::int64_t n = 1;
  CHECK(raw_launch_error(my_add(), f, d, f, n, 1.0f, f) ==
        "argument 2 of 'my_add' is an array of float64, the parameter 'const float* x2' takes "
        "float32");
  CHECK(raw_launch_error(my_add(), f, f, 1.0f, n, 1.0f, f) ==
        "argument 3 of 'my_add' is a scalar of float32, the parameter 'float* y' takes an array of "
        "float32");
  CHECK(raw_launch_error(my_add(), f, f, f, 1, 1.0f, f) ==
        "argument 4 of 'my_add' is a scalar of int32, the parameter 'long long n' takes int64");
  CHECK(raw_launch_error(my_add(), f, f, f, f, 1.0f, f) ==
        "argument 4 of 'my_add' is an array of float32, the parameter 'long long n' takes a scalar "
        "of int64");
  CHECK(raw_launch_error(my_add(), f, f, f, n, 1, f) ==
        "argument 5 of 'my_add' is a scalar of int32, the parameter 'float a' takes float32");
  CHECK(raw_launch_error(my_add(), f, f, f, n, nullptr, f) ==
        "argument 5 of 'my_add' is a null pointer, the parameter 'float a' takes a scalar of "
        "float32");
  CHECK(raw_launch_error(my_add(), f, f, f, n, 1.0f, n) ==
        "argument 6 of 'my_add' is a scalar of int64, the parameter 'void* any' takes an array");
}

TEST_CASE("Arguments are checked again when they change") {
  const Array x = device_array<float>({1, 2});
  const Array y = device_array<float>({0, 0});
  const Array any = device_array<std::uint8_t>({0});
  const std::int64_t n = 2;
  my_add()(stream(), kOneThread, x, x, y, n, 2.0f, nullptr);
  CHECK(values_of<float>(y) == std::vector<float>{4, 8});
  CHECK(values_of<std::uint8_t>(any)[0] == 0);
  my_add()(stream(), kOneThread, x, x, y, n, 1.0f, any);
  CHECK(values_of<float>(y) == std::vector<float>{2, 4});
  CHECK(values_of<std::uint8_t>(any)[0] == 1);
  CHECK(raw_launch_error(my_add(), x, x.slice(0, 0, 1, 2).broadcast_to({2}), y, n, 1.0f, any) ==
        "argument 2 of 'my_add' is an array that is not contiguous: a plain pointer would lose its "
        "strides; pass a contiguous copy or, if the kernel knows the strides, "
        "as_pointer(array)");
  CHECK(raw_launch_error(my_add(), x, x, device_array<int>({0}), n, 1.0f, any) ==
        "argument 3 of 'my_add' is an array of int32, the parameter 'float* y' takes float32");
  my_add()(stream(), kOneThread, x, x, y, n, 3.0f, any);
  CHECK(values_of<float>(y) == std::vector<float>{6, 12});
}

TEST_CASE("An array that is not on the stream's device is refused") {
  const Array f = device_array<float>({1});
  const Array elsewhere = Array::on_host(DType::kFloat32, {1});
  CHECK(raw_launch_error(my_add(), f, elsewhere, f, std::int64_t{1}, 1.0f, nullptr) ==
        "argument 2 of 'my_add' is an array that is not on the stream's device: copy it there "
        "first");
}

TEST_CASE("Only an array's address can be passed, whatever its strides and dtype") {
  const RawKernel every_second{R"(
extern "C" __global__ void every_second(const int* x, int* y) {
  for (int k = 0; k < 3; ++k) y[k] = x[2 * k];
})",
                               "every_second"};
  const Array x = device_array(counting<int>(6));
  const Array y = device_array(std::vector<int>(3));
  every_second(stream(), kOneThread, as_pointer(x.slice(0, 0, 3, 2)), y);
  CHECK(values_of<int>(y) == std::vector<int>{0, 2, 4});
  const Array unsigned_y = device_array(std::vector<unsigned>(3));
  every_second(stream(), kOneThread, x, as_pointer(unsigned_y));
  CHECK(values_of<unsigned>(unsigned_y) == std::vector<unsigned>{0, 2, 4});
}

TEST_CASE("A template's instance is checked with its arguments substituted") {
  const RawModule module{"template <class T> __global__ void fx3(T* x, T a) { x[0] = 3 * a; }",
                         {"fx3<float>", "fx3<double>", "fx3<long long>"}};
  const Array f = device_array<float>({0});
  const Array d = device_array<double>({0});
  module.function("fx3<float>")(stream(), kOneThread, f, 1.5f);
  module.function("fx3<double>")(stream(), kOneThread, d, 2.5);
  CHECK(values_of<float>(f)[0] == 4.5f);
  CHECK(values_of<double>(d)[0] == 7.5);
  CHECK(raw_launch_error(module.function("fx3<float>"), d, 1.5f) ==
        "argument 1 of 'fx3<float>' is an array of float64, the parameter 'T* x' takes float32");
  CHECK(raw_launch_error(module.function("fx3<long long>"), device_array<std::int64_t>({0}), 1) ==
        "argument 2 of 'fx3<long long>' is a scalar of int32, the parameter 'T a' takes int64");
}

struct Pair {
  int first;
  float second;
};

TEST_CASE("An unknown type is checked by its size, and structs are passed by value") {
  const RawKernel kernel{R"(
struct Pair { int first; float second; };
typedef int Count;
extern "C" __global__ void unpack(float* out, Pair pair, Count n) {
  out[0] = pair.first; out[1] = pair.second; out[2] = n;
})",
                         "unpack"};
  const Array out = device_array<float>({0, 0, 0});
  const Pair pair{3, 0.5f};
  kernel(stream(), kOneThread, out, as_bytes(pair), 7);
  CHECK(values_of<float>(out) == std::vector<float>{3, 0.5f, 7});
  CHECK(raw_launch_error(kernel, out, 1, 7) ==
        "argument 2 of 'unpack' has 4 bytes, the kernel's parameter 8");
  CHECK(raw_launch_error(kernel, out, as_bytes(pair), std::int64_t{7}) ==
        "argument 3 of 'unpack' has 8 bytes, the kernel's parameter 4");
}

TEST_CASE("A kernel made by a macro is checked by sizes") {
  const RawKernel kernel{
      "#define PARAMETERS float* x, int n\n"
      "extern \"C\" __global__ void f(PARAMETERS) { x[0] = n; }",
      "f"};
  const Array x = device_array<float>({0});
  kernel(stream(), kOneThread, x, 5);
  CHECK(values_of<float>(x)[0] == 5);
  CHECK(raw_launch_error(kernel, x, 5.0) ==
        "argument 2 of 'f' has 8 bytes, the kernel's parameter 4");
}

const RawKernel& view_sum() {
  static const RawKernel kernel{R"(
#include "kernelbatch/device.hpp"
extern "C" __global__ void rows(kernelbatch::array_view<const float, 2> x,
                                array_view<float, 1, true> y) {
  for (int r = 0; r < x.shape()[0]; ++r) {
    y[r] = 0;
    for (int c = 0; c < x.shape()[1]; ++c) y[r] += x(r, c) * (c + 1);
  }
})",
                                "rows"};
  return kernel;
}

TEST_CASE("A kernel that takes a view gets shape and strides") {
  const Array x = device_array(counting<float>(6), {2, 3});
  const Array y = device_array<float>({0, 0, 0});
  view_sum()(stream(), kOneThread, x, y.slice(0, 0, 2, 1));
  CHECK(values_of<float>(y) == std::vector<float>{0 + 2 + 6, 3 + 8 + 15, 0});
  view_sum()(stream(), kOneThread, x.transpose(), y);
  CHECK(values_of<float>(y) == std::vector<float>{0 + 6, 1 + 8, 2 + 10});
}

TEST_CASE("A view's dtype, axes and contiguity are checked") {
  const Array x = device_array(counting<float>(6), {2, 3});
  const Array y = device_array<float>({0, 0, 0, 0});
  CHECK(raw_launch_error(view_sum(), y, y) ==
        "argument 1 of 'rows' has 1 axes, the parameter 'kernelbatch::array_view<const float, 2> "
        "x' takes 2");
  CHECK(raw_launch_error(view_sum(), x, y.slice(0, 0, 2, 2)) ==
        "argument 2 of 'rows' is not contiguous, and the parameter 'array_view<float, 1, true> y' "
        "requires contiguous arrays: pass a contiguous copy");
  CHECK(raw_launch_error(view_sum(), x, device_array<int>({0})) ==
        "argument 2 of 'rows' is an array of int32, the parameter 'array_view<float, 1, true> y' "
        "takes float32");
  CHECK(raw_launch_error(view_sum(), x, 1.0f) ==
        "argument 2 of 'rows' is a scalar of float32, the parameter 'array_view<float, 1, true> y' "
        "takes an array of float32");
}

}  // namespace
}  // namespace kernelbatch
