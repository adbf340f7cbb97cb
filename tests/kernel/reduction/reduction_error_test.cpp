// ReductionKernel: exact error messages.
#include "core/base/error.hpp"
#include "core/kernel/reduction/kernel.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/error_text.hpp"

namespace kernelbatch {
namespace {

using test::device_array;
using test::stream;

const ReductionKernel& sum_kernel() {
  static const ReductionKernel kernel{{.in = "T x",
                                       .out = "T y",
                                       .map = "x",
                                       .reduce = "a + b",
                                       .post_map = "y = a",
                                       .identity = "0",
                                       .name = "sum"}};
  return kernel;
}

template <class... A>
std::string call_error(const A&... arguments) {
  return test::error_text<SpecError>([&] { sum_kernel()(stream(), arguments...); });
}
std::string axes_error(const std::vector<int>& axes) {
  const Array x = device_array(test::counting<int>(6), {2, 3});
  return test::error_text<SpecError>([&] { sum_kernel().over(axes)(stream(), x); });
}

TEST_CASE("Axes out of range or named twice are refused") {
  CHECK(axes_error({2}) == "'sum': axis 2 is out of range for 2 axes");
  CHECK(axes_error({-3}) == "'sum': axis -3 is out of range for 2 axes");
  CHECK(axes_error({1, -1}) == "'sum': axis -1 is named twice");
}

TEST_CASE("A reduction takes inputs, or inputs and outputs") {
  const Array x = device_array<int>({1, 2});
  CHECK(call_error(x, x, x) ==
        "wrong number of arguments for 'sum': expected 1 or 2 (with outputs), got 3");
}

TEST_CASE("An output must be an array of the reduced shape") {
  const Array x = device_array<int>({1, 2});
  CHECK(call_error(x, 3) == "output 'y' of 'sum' must be an array");
  CHECK(call_error(x, device_array<int>({1, 2})) ==
        "output 'y' of 'sum' has shape (2,), the reduction gives ()");
}

TEST_CASE("An output may not overlap an input or repeat elements") {
  const Array x = device_array(test::counting<int>(6), {2, 3});
  CHECK_THAT(test::error_text<SpecError>(
                 [&] { sum_kernel().over({1})(stream(), x, x.slice(1, 0, 1, 1).reshape({2})); }),
             Contains("cannot view"));
  CHECK_THAT(test::error_text<SpecError>(
                 [&] { sum_kernel().over({0})(stream(), x, x.reshape({6}).slice(0, 0, 3, 1)); }),
             Contains("output 'y' overlaps input 'x'"));
  CHECK_THAT(test::error_text<SpecError>([&] {
               sum_kernel().over({0})(stream(), x, device_array<int>({0}).broadcast_to({3}));
             }),
             Contains("output 'y' repeats elements"));
}

TEST_CASE("A reduction needs an output and an input that determines the shape") {
  CHECK(test::error_text<SpecError>([] {
          ReductionKernel({.in = "T x",
                           .out = "",
                           .map = "x",
                           .reduce = "a + b",
                           .post_map = "",
                           .identity = "0",
                           .name = "none"});
        }) == "reduction 'none' has no output");
  const ReductionKernel raw{{.in = "raw T x",
                             .out = "T y",
                             .map = "x[0]",
                             .reduce = "a + b",
                             .post_map = "y = a",
                             .identity = "0",
                             .name = "only_raw"}};
  const Array x = device_array<int>({1});
  CHECK(test::error_text<SpecError>([&] { raw(stream(), x); }) ==
        "'only_raw': no input array that is not raw decides what to reduce");
}

TEST_CASE("Types of a reduction must agree") {
  const ReductionKernel dot{{.in = "T x, T y",
                             .out = "T z",
                             .map = "x * y",
                             .reduce = "a + b",
                             .post_map = "z = a",
                             .identity = "0",
                             .name = "dot"}};
  CHECK(test::error_text<SpecError>([&] {
          dot(stream(), device_array<int>({1}), device_array<float>({1}));
        }) == "type mismatch for 'T': 'x' is int32, 'y' is float32");
}

TEST_CASE("A reduce type beyond the room for partial results does not compile") {
  ReductionOptions options;
  options.reduce_type = "huge";
  options.preamble = "struct huge { double x[64]; };";
  const ReductionKernel kernel{{.in = "T x",
                                .out = "T y",
                                .map = "huge{}",
                                .reduce = "a",
                                .post_map = "y = 0",
                                .identity = std::nullopt,
                                .name = "huge_sum",
                                .options = options}};
  CHECK_THAT(test::error_text<CompileError>([&] { kernel(stream(), device_array<int>({1})); }),
             Contains("at most 256 bytes"));
}

}  // namespace
}  // namespace kernelbatch
