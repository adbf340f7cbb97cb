// JitKernel: templates compiled for the types they are called with.
#include "core/kernel/jit.hpp"

#include "core/base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/error_text.hpp"

namespace kernelbatch {
namespace {

using test::counting;
using test::device_array;
using test::stream;
using test::values_of;

constexpr const char* kScale = R"(
template <class X, class Y, class S>
__global__ void scale(X x, Y y, S factor) {
  for (long long i = kernelbatch::grid_index(); i < x.size(); i += kernelbatch::grid_size())
    y[i] = x[i] * factor;
}
)";

LaunchShape shape_of(unsigned grid, unsigned block) {
  LaunchShape shape;
  shape.grid.x = grid;
  shape.block.x = block;
  return shape;
}

TEST_CASE("The template's types come from the arguments") {
  const JitKernel scale{kScale, "scale"};
  const Array x = device_array(counting<float>(1000));
  const Array y = device_array(std::vector<double>(1000, 0));
  scale(stream(), shape_of(3, 64), x, y, 2);
  CHECK(values_of<double>(y)[999] == 1998);
  const Array z = device_array(std::vector<std::int64_t>(1000, 0));
  scale(stream(), shape_of(1, 1), x, z, 0.5);
  CHECK(values_of<std::int64_t>(z)[999] == 499);
}

TEST_CASE("Views of any layout are indexed by element") {
  const JitKernel scale{kScale, "scale"};
  const Array x = device_array(counting<int>(12), {3, 4});
  for (const Array& view : {x, x.transpose(), x.slice(1, 3, 4, -1), x.slice(0, 0, 2, 2)}) {
    const Array y = Array::on_device(test::device(), DType::kInt32, view.shape());
    scale(stream(), shape_of(1, 32), view, y, 1);
    CHECK(values_of<int>(y) == values_of<int>(view));
  }
}

TEST_CASE("Views know their axes") {
  const JitKernel kernel{R"(
template <class X, class Y>
__global__ void facts(X x, Y y) {
  y[0] = X::ndim;
  y[1] = x.shape()[0];
  y[2] = x.strides()[1];
  y[3] = x[{1, 2}];
  y[4] = x(2, 1);
})",
                         "facts"};
  const Array x = device_array(counting<std::int64_t>(12), {4, 3}).transpose();
  const Array y = device_array(std::vector<std::int64_t>(5, 0));
  kernel(stream(), shape_of(1, 1), x, y);
  CHECK(values_of<std::int64_t>(y) == std::vector<std::int64_t>{2, 3, 24, 7, 5});
}

TEST_CASE("Constants are known at compile time") {
  JitOptions options;
  options.constants = {{"N", std::int64_t{4}}, {"HALF", 0.5}, {"YES", true}, {"ONE", 1.0}};
  const JitKernel kernel{R"(
template <class Y>
__global__ void constants(Y y) {
  static_assert(N == 4 && YES);
  double room[N] = {HALF, ONE / 3, N / 3, HALF};
  for (int k = 0; k < N; ++k) y[k] = room[k];
})",
                         "constants", options};
  const Array y = device_array(std::vector<double>(4, 0));
  kernel(stream(), shape_of(1, 1), y);
  CHECK(values_of<double>(y) == std::vector<double>{0.5, 1.0 / 3, 1, 0.5});
}

TEST_CASE("Extreme integer constants keep their value") {
  JitOptions options;
  options.constants = {{"LOW", INT64_MIN}, {"HIGH", INT64_MAX}};
  const JitKernel kernel{
      "template <class Y> __global__ void extremes(Y y) { y[0] = LOW; y[1] = HIGH; }", "extremes",
      options};
  const Array y = device_array<std::int64_t>({0, 0});
  kernel(stream(), shape_of(1, 1), y);
  CHECK(values_of<std::int64_t>(y) == std::vector<std::int64_t>{INT64_MIN, INT64_MAX});
}

TEST_CASE("A text as a constant is refused") {
  JitOptions options;
  options.constants = {{"NAME", std::string("x")}};
  const JitKernel kernel{"template <class Y> __global__ void f(Y y) {}", "f", options};
  const Array y = device_array<int>({0});
  CHECK(test::error_text<SpecError>([&] { kernel(stream(), shape_of(1, 1), y); }) ==
        "the constant 'NAME' is a text: only numbers can be baked in");
}

TEST_CASE("Parameters that are no template's take the type they are declared with") {
  const JitKernel kernel{R"(
template <class X>
__global__ void add(X x, int n, double d) {
  for (int k = 0; k < n; ++k) x[k] += d;
})",
                         "add"};
  const Array x = device_array(counting<float>(4));
  kernel(stream(), shape_of(1, 1), x, 3, 0.5);
  CHECK(values_of<float>(x) == std::vector<float>{0.5f, 1.5f, 2.5f, 3});
}

TEST_CASE("A function that is no template works too, with helpers beside it") {
  const JitKernel kernel{R"(
template <class T> __device__ T twice(T x) { return 2 * x; }
struct pair { int a, b; };
extern "C" __global__ void plain(array_view<int, 1, true> x) { x[0] = twice(x[0]) + sizeof(pair); })",
                         "plain"};
  const Array x = device_array<int>({5});
  kernel(stream(), shape_of(1, 1), x);
  CHECK(values_of<int>(x)[0] == 18);
}

TEST_CASE("An entry that is not there, and too few arguments, are named") {
  const Array x = device_array<int>({5});
  const JitKernel missing{kScale, "scaling"};
  CHECK(test::error_text<SpecError>([&] { missing(stream(), shape_of(1, 1), x); }) ==
        "the source has no function 'scaling'");
  const JitKernel scale{kScale, "scale"};
  CHECK(test::error_text<SpecError>([&] { scale(stream(), shape_of(1, 1), x, x); }) ==
        "'scale' has 3 template parameters and was given 2 arguments");
  CHECK(test::error_text<SpecError>([&] { scale(stream(), shape_of(1, 1), x, x, 1, 2); }) ==
        "kernel 'scale' takes 3 arguments, 4 were given");
}

TEST_CASE("A compile error points into the kernel's own text") {
  const JitKernel kernel{"template <class X>\n__global__ void wrong(X x) {\n  x[0] = what;\n}",
                         "wrong"};
  const Array x = device_array<int>({5});
  CHECK_THAT(test::error_text<CompileError>([&] { kernel(stream(), shape_of(1, 1), x); }),
             Contains("wrong:3") || Contains("wrong(3)"));
}

}  // namespace
}  // namespace kernelbatch
