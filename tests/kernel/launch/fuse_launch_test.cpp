// fuse: host cost of a launch after the first, and plans are never stale.
#include <algorithm>
#include <tuple>

#include "core/base/error.hpp"
#include "core/kernel/fuse/fuse.hpp"
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

Array matrix(std::int64_t rows, std::int64_t columns) {
  return device_array(counting<float>(rows * columns), {rows, columns});
}

TEST_CASE("Launching a fused kernel of any kind again allocates nothing") {
  const Array x = matrix(4, 8);
  const Array y = matrix(4, 8);
  const std::vector<Array> out{matrix(4, 8)};
  const std::vector<Array> sums{device_array(counting<float>(4))};
  SECTION("elementwise") {
    const auto f = fuse([](auto a, auto b) { return (a - b) * a; });
    CHECK(allocations_of([&] { f.into(stream(), out, x, y); }) == 0);
  }
  SECTION("a reduction") {
    const auto f = fuse([](auto a, auto b) { return sqrt(sum((a - b) * (a - b), axis(-1))); });
    CHECK(allocations_of([&] { f.into(stream(), sums, x, y); }) == 0);
  }
  SECTION("rows") {
    const auto f = fuse([](auto a) { return a - max(a, axis(-1).keep()); });
    CHECK(allocations_of([&] { f.into(stream(), out, x); }) == 0);
    CHECK(values_of<float>(out[0])[0] == -7);
    CHECK(values_of<float>(out[0])[31] == 0);
  }
}

TEST_CASE("A fused kernel's plans serve other memory, shapes and strides") {
  const auto elements = fuse([](auto a) { return a * 2; });
  const auto sums = fuse([](auto a) { return sum(a, axis(-1)); });
  const auto rows = fuse([](auto a) { return a - max(a, axis(-1).keep()); });
  for (int round = 0; round < 2; ++round)
    for (const auto& [height, width] :
         std::vector<std::pair<std::int64_t, std::int64_t>>{{4, 8}, {8, 4}, {1, 100}, {100, 1}}) {
      const Array whole = matrix(height, 2 * width);
      for (const Array& x : {matrix(height, width), whole.slice(1, 1, width, 1),
                             matrix(width, height).transpose(), whole.slice(1, 0, width, 2)}) {
        const std::vector<float> in = values_of<float>(x);
        const std::vector<float> twice = values_of<float>(elements(stream(), x)[0]);
        const std::vector<float> sum = values_of<float>(sums(stream(), x)[0]);
        const std::vector<float> below = values_of<float>(rows(stream(), x)[0]);
        bool right = true;
        for (std::size_t r = 0; r < static_cast<std::size_t>(height); ++r) {
          const auto first = in.begin() + static_cast<std::ptrdiff_t>(r) * width;
          const float most = *std::max_element(first, first + width);
          float total = 0;
          for (auto at = first; at != first + width; ++at) {
            const auto k = static_cast<std::size_t>(at - in.begin());
            total += *at;
            right = right && twice[k] == 2 * *at && below[k] == *at - most;
          }
          right = right && sum[r] == total;
        }
        CHECK(right);
      }
    }
}

TEST_CASE("Overlap of a fused kernel is refused after its form was planned") {
  const Array memory = device_array(counting<float>(200));
  const auto at = [&](std::int64_t start) { return memory.slice(0, start, 32, 1).reshape({4, 8}); };
  const auto rows = fuse([](auto a) { return a - max(a, axis(-1).keep()); });
  const auto elements = fuse([](auto a) { return a * 2; });
  rows.into(stream(), {at(64)}, at(0));
  elements.into(stream(), {at(64)}, at(0));
  CHECK(test::error_text<SpecError>([&] { rows.into(stream(), {at(16)}, at(0)); }) ==
        "output 'out0' overlaps input 'x0' without being the same view: elements would be read "
        "after they were written; write to an array of its own");
  CHECK_THROWS_AS(elements.into(stream(), {at(16)}, at(0)), SpecError);
  CHECK(values_of<float>(at(0))[5] == 5);
  rows.into(stream(), {at(0)}, at(0));
  CHECK(values_of<float>(at(0))[5] == -2);
}

TEST_CASE("An output of rows may be an input that another output still needs") {
  const auto f = fuse([](auto a, auto b) {
    const auto most = max(a, axis(-1).keep());
    return std::tuple{a - most, b + a - most};
  });
  const Array a = matrix(3, 40);
  const Array b = matrix(3, 40);
  const Array second = matrix(3, 40);
  f.into(stream(), {b, second}, a, b);
  CHECK(values_of<float>(b)[0] == -39);
  CHECK(values_of<float>(second)[0] == -39);
  CHECK(values_of<float>(second)[39] == 39);
}

TEST_CASE("Rows into an output that repeats elements are refused") {
  const auto rows = fuse([](auto a) { return a - max(a, axis(-1).keep()); });
  const Array row = device_array(counting<float>(8));
  CHECK(test::error_text<SpecError>([&] {
          rows.into(stream(), {row.broadcast_to({4, 8})}, matrix(4, 8));
        }) == "output 'out0' repeats elements along an axis: each would be written more than once");
}

TEST_CASE("Outputs that do not fit a fused kernel are refused, planned or not") {
  const auto f = fuse([](auto a) { return a * 2; });
  const Array x = matrix(4, 8);
  for (int round = 0; round < 2; ++round) {
    CHECK(test::error_text<SpecError>([&] { f.into(stream(), {matrix(8, 4)}, x); }) ==
          "fuse: output 0 of 'fused' is float32 (8, 4), the expression gives float32 (4, 8)");
    CHECK_THROWS_AS(f.into(stream(), {x, x}, x), SpecError);
    f.into(stream(), {matrix(4, 8)}, x);
  }
}

TEST_CASE("Host cost of a fused launch", "[.][benchmark]") {
  const auto f = fuse([](auto a) { return a - max(a, axis(-1).keep()); });
  const auto g = fuse([](auto a) { return a * 2; });
  const Array x = matrix(4, 8);
  const std::vector<Array> out{matrix(4, 8)};
  test::report_launch_cost(test::host_seconds([&] { f.into(stream(), out, x); }), "fused rows");
  test::report_launch_cost(test::host_seconds([&] { g.into(stream(), out, x); }),
                           "a fused elementwise kernel");
}

}  // namespace
}  // namespace kernelbatch
