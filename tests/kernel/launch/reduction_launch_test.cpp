// ReductionKernel: host cost of a launch after the first, and plans are never stale.
#include "core/base/error.hpp"
#include "core/kernel/reduction/kernel.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/launch_cost.hpp"

namespace kernelbatch {
namespace {

using test::allocations_of;
using test::counting;
using test::device_array;
using test::stream;
using test::values_of;

using Longs = std::vector<std::int64_t>;

const ReductionKernel& dot() {
  static const ReductionKernel kernel{{.in = "T x, T y, T s",
                                       .out = "T z",
                                       .map = "x * y * s",
                                       .reduce = "a + b",
                                       .post_map = "z = a",
                                       .identity = "T(0)",
                                       .name = "dot"}};
  return kernel;
}

Array longs(std::int64_t count) { return device_array(counting<std::int64_t>(count)); }

TEST_CASE("Launching a reduction again allocates nothing") {
  const Array x = longs(64);
  const Array out = device_array<std::int64_t>({0}, {});
  SECTION("one block") {
    CHECK(allocations_of([&] { dot()(stream(), x, x, 1, out); }) == 0);
    CHECK(values_of<std::int64_t>(out)[0] == 85344);
  }
  SECTION("over some axes") {
    const Array rows = x.reshape({8, 8});
    const Array sums = longs(8);
    CHECK(allocations_of([&] { dot().over({1})(stream(), rows, rows, 1, sums); }) == 0);
    CHECK(allocations_of([&] { dot().over({-2})(stream(), rows, rows, 1, sums); }) == 0);
  }
  SECTION("a raw input") {
    const ReductionKernel kernel{{.in = "T x, raw T y",
                                  .out = "T z",
                                  .map = "x * y[_J]",
                                  .reduce = "a + b",
                                  .post_map = "z = a",
                                  .identity = "0",
                                  .name = "raw"}};
    CHECK(allocations_of([&] { kernel(stream(), x, x, out); }) == 0);
    CHECK(values_of<std::int64_t>(out)[0] == 85344);
  }
}

TEST_CASE("Launching a reduction split over blocks again allocates nothing") {
  const Array x = device_array(Longs(200000, 1));
  const Array out = device_array<std::int64_t>({0}, {});
  CHECK(allocations_of([&] { dot()(stream(), x, x, 1, out); }) == 0);
  CHECK(values_of<std::int64_t>(out)[0] == 200000);
}

TEST_CASE("A plan of a reduction serves other memory and other scalars") {
  const Array a = longs(100000);
  const Array b = device_array(Longs(100000, 2));
  const Array out = device_array<std::int64_t>({0, 0});
  const Array first = out.slice(0, 0, 1, 1).reshape({});
  const Array second = out.slice(0, 1, 1, 1).reshape({});
  dot()(stream(), a, b, 1, first);
  dot()(stream(), b, b, 3, second);
  dot()(stream(), b, b, 1, first);
  CHECK(values_of<std::int64_t>(out) == Longs{400000, 1200000});
}

TEST_CASE("A call of a reduction of another form is planned again") {
  const Array x = device_array(counting<std::int64_t>(24), {2, 3, 4});
  const ReductionKernel sum{{.in = "T x",
                             .out = "T y",
                             .map = "x",
                             .reduce = "a + b",
                             .post_map = "y = a",
                             .identity = "0",
                             .name = "sum"}};
  const auto over = [&](const Array& from, const std::vector<int>& axes, bool keepdims,
                        const Shape& shape) {
    const Array to = Array::on_device(test::device(), DType::kInt64, shape);
    sum.over(axes, keepdims)(stream(), from, to);
    return values_of<std::int64_t>(to);
  };
  const Longs by_2{6, 22, 38, 54, 70, 86};
  CHECK(over(x, {2}, false, {2, 3}) == by_2);
  CHECK(over(x, {2}, true, {2, 3, 1}) == by_2);
  CHECK(over(x, {-1}, false, {2, 3}) == by_2);
  CHECK(over(x, {1, 2}, false, {2}) == Longs{66, 210});
  CHECK(over(x, {}, false, {2, 3, 4}) == counting<std::int64_t>(24));
  CHECK(over(x.reshape({6, 4}), {1}, false, {6}) == by_2);
  CHECK(over(x.slice(2, 3, 4, -1), {2}, false, {2, 3}) == by_2);
  CHECK(over(x.slice(2, 1, 2, 1), {2}, false, {2, 3}) == Longs{3, 11, 19, 27, 35, 43});
  CHECK(over(x.transpose(), {0}, false, {3, 2}) == Longs{6, 54, 22, 70, 38, 86});
  CHECK_THROWS_AS(over(x, {3}, false, {2, 3}), SpecError);
  const Array memory = longs(5000);
  for (const std::int64_t start : {0, 1, 2, 3, 4})
    CHECK(over(memory.slice(0, start, 4000, 1), {0}, false, {}) ==
          Longs{4000 * start + 3999 * 2000});
  const Array small = device_array(std::vector<signed char>(5000, 1));
  const ReductionKernel wide{{.in = "T x",
                              .out = "int64 y",
                              .map = "x",
                              .reduce = "a + b",
                              .post_map = "y = a",
                              .identity = "0",
                              .name = "wide_sum"}};
  const Array out = device_array<std::int64_t>({0}, {});
  for (const std::int64_t start : {0, 1, 2, 3, 4, 8}) {
    wide(stream(), small.slice(0, start, 4000, 1), out);
    CHECK(values_of<std::int64_t>(out)[0] == 4000);
  }
}

TEST_CASE("Split reductions of two streams do not share their partial results") {
  const auto second = test::device().make_stream();
  const Array ones = device_array(Longs(300000, 1));
  const Array twos = device_array(Longs(300000, 2));
  const Array out = device_array(Longs(2, 0));
  const Array a = out.slice(0, 0, 1, 1).reshape({});
  const Array b = out.slice(0, 1, 1, 1).reshape({});
  for (int repeat = 0; repeat < 20; ++repeat) {
    dot()(stream(), ones, ones, 1, a);
    dot()(*second, twos, ones, 1, b);
  }
  second->synchronize();
  CHECK(values_of<std::int64_t>(out) == Longs{300000, 600000});
}

TEST_CASE("Each stream gets a workspace at its first split reduction, and keeps it") {
  // A new kernel: a stream of an earlier test may have had the same address.
  const ReductionKernel kernel{{.in = "T x, T y, T s",
                                .out = "T z",
                                .map = "x * y * s",
                                .reduce = "a + b",
                                .post_map = "z = a",
                                .identity = "0",
                                .name = "own"}};
  const auto second = test::device().make_stream();
  const Array ones = device_array(Longs(300000, 1));
  const Array out = device_array<std::int64_t>({0}, {});
  kernel(stream(), ones, ones, 1, out);
  const auto allocations_on_second = [&] {
    test::allocations = 0;
    test::is_counting = true;
    kernel(*second, ones, ones, 1, out);
    test::is_counting = false;
    return test::allocations;
  };
  CHECK(allocations_on_second() > 0);
  CHECK(allocations_on_second() == 0);
  second->synchronize();
  CHECK(allocations_of([&] {
          kernel(stream(), ones, ones, 1, out);
          kernel(*second, ones, ones, 1, out);
        }) == 0);
  second->synchronize();
}

TEST_CASE("A workspace grows if a later call needs more") {
  const Array x = device_array(Longs(3000000, 1));
  for (const std::int64_t n : {40000, 3000000, 100000, 3000000}) {
    const Array out = device_array<std::int64_t>({0}, {});
    const Array part = x.slice(0, 0, n, 1);
    dot()(stream(), part, part, 1, out);
    CHECK(values_of<std::int64_t>(out)[0] == n);
  }
}

TEST_CASE("Calls of a reduction with and without outputs alternate") {
  const Array x = longs(1000);
  const Array out = device_array<std::int64_t>({0}, {});
  for (int k = 1; k < 4; ++k) {
    dot()(stream(), x, x, k, out);
    const std::vector<Array> made = dot()(stream(), x, x, k);
    REQUIRE(made.size() == 1);
    CHECK(made[0].data() != out.data());
    CHECK(values_of<std::int64_t>(made[0]) == values_of<std::int64_t>(out));
    CHECK(values_of<std::int64_t>(out)[0] == 332833500 * k);
  }
  const ReductionKernel any{{.in = "T x",
                             .out = "U y",
                             .map = "x",
                             .reduce = "a + b",
                             .post_map = "y = a",
                             .identity = "0",
                             .name = "any_type"}};
  any(stream(), x, out);
  CHECK_THROWS_AS(any(stream(), x), SpecError);
  const Argument input[] = {x};
  CHECK(test::error_text<SpecError>([&] { any.launch(stream(), input); }) ==
        "the type 'U' of 'y' cannot be determined: pass an array for 'y'");
}

TEST_CASE("A reduction into its input is refused after its form was planned, or copies") {
  const Array memory = longs(100);
  const Array x = memory.slice(0, 0, 64, 1).reshape({8, 8});
  const ReductionKernel sum{{.in = "T x",
                             .out = "T y",
                             .map = "x",
                             .reduce = "a + b",
                             .post_map = "y = a",
                             .identity = "0",
                             .name = "sum"}};
  sum.over({1})(stream(), x, memory.slice(0, 80, 8, 1));
  CHECK(
      test::error_text<SpecError>([&] { sum.over({1})(stream(), x, memory.slice(0, 16, 8, 1)); }) ==
      "output 'y' overlaps input 'x' without being the same view: elements would be read after "
      "they were written; write to an array of its own");
  ReductionOptions options;
  options.copy_overlap = true;
  const ReductionKernel copying{{.in = "T x",
                                 .out = "T y",
                                 .map = "x",
                                 .reduce = "a + b",
                                 .post_map = "y = a",
                                 .identity = "0",
                                 .name = "sum",
                                 .options = options}};
  copying.over({0})(stream(), x, memory.slice(0, 16, 8, 1));
  CHECK(values_of<std::int64_t>(memory.slice(0, 16, 8, 1)) ==
        Longs{224, 232, 240, 248, 256, 264, 272, 280});
}

TEST_CASE("Host cost of a reduction's launch", "[.][benchmark]") {
  const Array x = longs(200000);
  const Array few = longs(64);
  const Array out = device_array<std::int64_t>({0}, {});
  test::report_launch_cost(test::host_seconds([&] { dot()(stream(), few, few, 1, out); }),
                           "a reduction of one block");
  test::report_launch_cost(test::host_seconds([&] { dot()(stream(), x, x, 1, out); }),
                           "a reduction of many blocks");
}

}  // namespace
}  // namespace kernelbatch
