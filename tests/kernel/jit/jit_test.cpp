// JitKernel: templates compiled for the types they are called with.
#include <limits>

#include "core/base/error.hpp"
#include "core/kernel/jit/kernel.hpp"
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

TEST_CASE("A constant that is not finite is refused") {
  JitOptions options;
  options.constants = {{"BIG", std::numeric_limits<double>::infinity()}};
  const JitKernel kernel{"__global__ void f(auto y) {}", "f", options};
  const Array y = device_array<int>({0});
  CHECK(test::error_text<SpecError>([&] { kernel(stream(), shape_of(1, 1), y); }) ==
        "the constant 'BIG' is inf: only finite numbers can be baked in, pass it as an argument");
}

TEST_CASE("Non-template parameters have their declared type") {
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

TEST_CASE("A non-template function with helper functions works") {
  const JitKernel kernel{R"(
template <class T> __device__ T twice(T x) { return 2 * x; }
struct pair { int a, b; };
extern "C" __global__ void plain(array_view<int, 1, true> x) { x[0] = twice(x[0]) + sizeof(pair); })",
                         "plain"};
  const Array x = device_array<int>({5});
  kernel(stream(), shape_of(1, 1), x);
  CHECK(values_of<int>(x)[0] == 18);
}

TEST_CASE("A missing entry and missing arguments are named") {
  const Array x = device_array<int>({5});
  const JitKernel missing{kScale, "scaling"};
  CHECK(test::error_text<SpecError>([&] { missing(stream(), shape_of(1, 1), x); }) ==
        "the source has no function 'scaling'");
  const JitKernel scale{kScale, "scale"};
  CHECK(test::error_text<SpecError>([&] { scale(stream(), shape_of(1, 1), x, x); }) ==
        "kernel 'scale' takes 3 arguments, 2 were given");
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

TEST_CASE("`auto` parameters take their types from the call") {
  const JitKernel scale{R"(
__device__ double half(auto v) { return v / 2.0; }
static __global__ void scale(auto x, const auto y, auto* out, auto factor) {
  for (auto i = kernelbatch::grid_index(); i < x.size(); i += kernelbatch::grid_size())
    out[i] = half(x[i]) * factor + y[i];
})",
                        "scale"};
  const Array x = device_array(counting<float>(12), {3, 4});
  const Array y = device_array(counting<std::int64_t>(12), {4, 3}).transpose();
  const Array out = device_array(std::vector<double>(12, 0), {3, 4});
  scale(stream(), shape_of(2, 32), x, y, out, 3);
  CHECK(values_of<double>(out) ==
        std::vector<double>{0, 4.5, 9, 13.5, 7, 11.5, 16, 20.5, 14, 18.5, 23, 27.5});
  scale(stream(), shape_of(2, 32), x, x, out, 0.5);
  CHECK(values_of<double>(out)[11] == 13.75);
}

TEST_CASE("`auto` works with a template head, defaults and constants") {
  JitOptions options;
  options.constants = {{"N", std::int64_t{3}}};
  const JitKernel kernel{R"(
template <class X, int N, int Twice = 2 * N>
__global__ void fill(X x, auto y) { *x = N; y[0] = Twice; })",
                         "fill", options};
  const JitKernel simple{R"(
template <class X, int N = 4, class U = float>
__global__ void fill(X* x) { x[0] = N; x[1] = sizeof(U); })",
                         "fill"};
  const Array x = device_array<int>({0, 0});
  simple(stream(), shape_of(1, 1), x);
  CHECK(values_of<int>(x) == std::vector<int>{4, 4});
  const JitKernel head{
      "template <class X, int N> __global__ void f(X* x, auto y) { x[0] = N + y; }", "f", options};
  head(stream(), shape_of(1, 1), x, 0.5);
  CHECK(values_of<int>(x)[0] == 3);
  const JitKernel unbound{"template <class X, class Z> __global__ void f(X x) {}", "f"};
  CHECK(test::error_text<SpecError>([&] { unbound(stream(), shape_of(1, 1), x); }) ==
        "the template parameter 'Z' of 'f' follows from no argument: give a parameter that type, "
        "or a number by that name in `constants`");
  const JitKernel twice{"template <class X> __global__ void f(X x, X y) {}", "f"};
  CHECK(test::error_text<SpecError>([&] { twice(stream(), shape_of(1, 1), 1, 2.0); }) ==
        "the template parameter 'X' of 'f' would be int and double: its arguments must agree");
}

TEST_CASE("Template parameters are found in pointers and views") {
  const JitKernel kernel{R"(
template <class T, class U>
__global__ void add(const T* __restrict__ x, kernelbatch::array_view<const U, 2> y, T* out) {
  for (int k = 0; k < 4; ++k) out[k] = x[k] + y[k];
})",
                         "add"};
  const Array x = device_array(counting<double>(4));
  const Array y = device_array(counting<short>(4), {2, 2}).transpose();
  const Array out = device_array(std::vector<double>(4, 0));
  kernel(stream(), shape_of(1, 1), x, y, out);
  CHECK(values_of<double>(out) == std::vector<double>{0, 3, 3, 6});
  CHECK(test::error_text<SpecError>(
            [&] { kernel(stream(), shape_of(1, 1), x.slice(0, 0, 2, 2), y, out); }) ==
        "argument 1 of 'add' is an array that is not contiguous: a plain pointer would lose its "
        "strides; pass a contiguous copy or take it as `auto`");
}

TEST_CASE("Numbers are converted to their parameters' types") {
  const JitKernel kernel{R"(
__global__ void take(double* out, double a, long long b, unsigned char c, float16 d, float e,
                     size_t f, complex<double> g, bool h) {
  const double all[] = {a, double(b), double(c), double(d), e, double(f), g.real(), double(h)};
  for (int k = 0; k < 8; ++k) out[k] = all[k];
})",
                         "take"};
  const Array out = device_array(std::vector<double>(8, 0));
  kernel(stream(), shape_of(1, 1), out, 1, 2, 3, 4, 5, 6, 7, 8);
  CHECK(values_of<double>(out) == std::vector<double>{1, 2, 3, 4, 5, 6, 7, 1});
  kernel(stream(), shape_of(1, 1), out, 1.5f, -2.0, 255, 0.5f, 0.25, 6.0f, 7.5, false);
  CHECK(values_of<double>(out) == std::vector<double>{1.5, -2, 255, 0.5, 0.25, 6, 7.5, 0});
  CHECK(test::error_text<SpecError>([&] {
          kernel(stream(), shape_of(1, 1), out, 1, 2, 256, 4, 5, 6, 7, 8);
        }) == "argument '4 of take': 256 is out of range for uint8");
  CHECK(test::error_text<SpecError>([&] {
          kernel(stream(), shape_of(1, 1), out, 1, 2, 3, 4, 5, -6, 7, 8);
        }) == "argument '7 of take': -6 is out of range for uint64");
}

TEST_CASE("Arguments of the wrong kind are refused with the parameter") {
  const JitKernel kernel{"__global__ void f(float* x, int n) {}", "f"};
  const Array x = device_array<float>({0});
  CHECK(test::error_text<SpecError>(
            [&] { kernel(stream(), shape_of(1, 1), device_array<double>({0}), 1); }) ==
        "argument 1 of 'f' is an array of float64, the parameter 'float* x' takes "
        "float32");
  CHECK(test::error_text<SpecError>([&] { kernel(stream(), shape_of(1, 1), 1.0f, 1); }) ==
        "argument 1 of 'f' is a scalar of float32, the parameter 'float* x' takes an array of "
        "float32");
  CHECK(test::error_text<SpecError>([&] { kernel(stream(), shape_of(1, 1), x, x); }) ==
        "argument 2 of 'f' is an array of float32, the parameter 'int n' takes a scalar of "
        "int32");
  const Array host = Array::from(std::vector<float>{1});
  CHECK(test::error_text<SpecError>([&] { kernel(stream(), shape_of(1, 1), host, 1); }) ==
        "argument 1 of 'f' is an array that is not on the stream's device: copy it there first");
}

TEST_CASE("JIT kernels support every type that raw kernels support") {
  const JitKernel kernel{R"(
__global__ void take(double* out, kernelbatch::float16 a, signed char b, bfloat16 c, const char* d,
                     kernelbatch::array_view<const float, 2> e) {
  out[0] = double(a); out[1] = b; out[2] = double(c); out[3] = d[0]; out[4] = e[3];
})",
                         "take"};
  const Array out = device_array(std::vector<double>(5, 0));
  const Array letters = device_array(std::vector<std::uint8_t>{7});
  const Array matrix = device_array(counting<float>(6), {2, 3});
  kernel(stream(), shape_of(1, 1), out, 1.5, 2, 3.5f, letters, matrix);
  CHECK(values_of<double>(out) == std::vector<double>{1.5, 2, 3.5, 7, 3});
}

TEST_CASE("Arguments are checked before anything is compiled") {
  const JitKernel kernel{"template <class T> __global__ void f(T* x, T a, const T& b) { no }", "f"};
  const Array x = Array::on_host(DType::kFloat32, {3});
  const auto refused = [&](std::vector<Argument> list) {
    return test::error_text<SpecError>([&] { kernel.check(list); });
  };
  CHECK(refused({x, 1.0f}) == "kernel 'f' takes 3 arguments, 2 were given");
  CHECK(refused({x, x, 1.0f}) ==
        "the template parameter 'T' of 'f' would be float and "
        "kernelbatch::array_view<float, 1, true>: its arguments must agree");
  CHECK(refused({1, 1.0f, 1.0f}) ==
        "argument 1 of 'f' is a scalar of int32, the parameter 'T* x' takes an array");
  CHECK(refused({x, nullptr, 1.0f}) ==
        "argument 2 of 'f' is a null pointer, from which no type follows: give the parameter a "
        "type");
  CHECK_NOTHROW(kernel.check(std::vector<Argument>{x, 1.0f, 1.0f}));
}

TEST_CASE("Errors after a rewritten `auto` keep their place") {
  const JitKernel kernel{"struct s {}; __global__ void wrong(auto x) {\n  x[0] = what;\n}",
                         "wrong"};
  const JitKernel same{"struct s {}; __global__ void wrong(auto x, what y) {}", "wrong"};
  const Array x = device_array<int>({5});
  CHECK_THAT(test::error_text<CompileError>([&] { kernel(stream(), shape_of(1, 1), x); }),
             Contains(" wrong:2:10: error: "));
  CHECK_THAT(test::error_text<CompileError>([&] { same(stream(), shape_of(1, 1), x, 1); }),
             Contains(" wrong:1:44: error: "));
}

}  // namespace
}  // namespace kernelbatch
