// Cost of a JIT kernel's launch after its first: no allocation. A device that runs nothing isolates
// the host's work.
#include "core/device/device_list.hpp"
#include "core/kernel/jit/kernel.hpp"
#include "core/kernel/jit/source.hpp"
#include "core/kernel/launch/argument_signature.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

TEST_CASE("A launch with a known signature allocates nothing") {
  const auto device = open_compile_only(properties_of_target("host"));
  const auto stream = device->make_stream();
  const JitKernel kernel{
      "__global__ void f(auto x, auto y, float* z, double a, int n) { y[0] = x[0] * a; }", "f"};
  const Array x = Array::on_device(*device, DType::kFloat32, {30, 40});
  const Array y = x.transpose();
  const Array z = Array::on_device(*device, DType::kFloat32, {30});
  kernel(*stream, LaunchShape{}, x, y, z, 2, 3);
  kernel(*stream, LaunchShape{}, y, y, z, 2, 3);
  test::allocations = 0;
  test::is_counting = true;
  for (int k = 0; k < 100; ++k) {
    kernel(*stream, LaunchShape{}, x, y, z, k, k);
    kernel(*stream, LaunchShape{}, y, y, z, k, k);
  }
  const long known = test::allocations;
  kernel(*stream, LaunchShape{}, x, x, z, 2, 3);
  test::is_counting = false;
  CHECK(known == 0);
  CHECK(test::allocations > 0);
}

TEST_CASE("Signatures distinguish dtype, axes, contiguity, scalars and devices") {
  const auto device = open_compile_only(properties_of_target("host"));
  const auto other = open_compile_only(properties_of_target("host"));
  const Array x = Array::on_device(*device, DType::kFloat32, {3, 4});
  const Array integers = Array::on_device(*device, DType::kInt32, {3, 4});
  const auto match = [&](std::initializer_list<Argument> a, std::initializer_list<Argument> b,
                         const Device& other_device) {
    return ArgumentSignature(std::span(a.begin(), a.size()), *device)
        .matches(std::span(b.begin(), b.size()), other_device);
  };
  CHECK(match({x, 1}, {x, 2}, *device));
  CHECK(match({x, 1}, {x.reshape({4, 3}), 1}, *device));
  CHECK_FALSE(match({x}, {integers}, *device));
  CHECK_FALSE(match({x}, {x.transpose()}, *device));
  CHECK_FALSE(match({x}, {x.reshape({12})}, *device));
  CHECK_FALSE(match({x}, {1.0f}, *device));
  CHECK_FALSE(match({1}, {1.0f}, *device));
  CHECK_FALSE(match({1}, {1, 1}, *device));
  CHECK_FALSE(match({1}, {1}, *other));
}

TEST_CASE("The entry is found in any text") {
  const JitSource source = read_jit_source(
      "#define G __global__ void f(int) \\\n  {}\n// __global__ void f(a)\n"
      "const char* text = \"__global__ void f(b)\";\n"
      "template <class T, int N = (3 > 2)> struct s { T t[N]; };\n"
      "template <class A,\n  typename B = s<int, 4>, int N = 2>\n"
      "__global__ void __launch_bounds__(128, 2) f(const A a, B* __restrict__ b, "
      "array_view<const double, 2, true> c,\n  unsigned long long, float d[], s<int, 2> e) {}",
      "f", "name");
  REQUIRE(source.templates.size() == 3);
  CHECK(source.templates[1].name == "B");
  CHECK(source.templates[1].has_default);
  CHECK_FALSE(source.templates[2].is_type);
  using Kind = FormalParameter::Kind;
  std::vector<Kind> kinds;
  for (const FormalParameter& parameter : source.parameters) kinds.push_back(parameter.kind);
  CHECK(kinds == std::vector<Kind>{Kind::kDeduced, Kind::kPointer, Kind::kView, Kind::kScalar,
                                   Kind::kPointer, Kind::kUnknown});
  CHECK(source.parameters[1].bound == 1);
  CHECK(source.parameters[2].dtype == DType::kFloat64);
  CHECK(source.parameters[3].dtype == DType::kUInt64);
  CHECK(source.parameters[4].dtype == DType::kFloat32);
}

TEST_CASE("A rewritten head does not change line numbers") {
  CHECK(
      read_jit_source("struct a {};  __global__ void f(auto x, const auto* y) {}", "f", "n").text ==
      "struct a {};  \ntemplate <class _A00, class _A01>\n#line 1 \"n\"\n"
      "              __global__ void f(_A00 x, const _A01* y) {}");
  CHECK(read_jit_source("template <class X>\n__global__ void f(X x, auto y) {}", "f", "n").text ==
        "template <class X, class _A01>\n__global__ void f(X x, _A01 y) {}");
  CHECK(read_jit_source("__global__ void f(int x) {}", "f", "n").text ==
        "__global__ void f(int x) {}");
}

}  // namespace
}  // namespace kernelbatch
