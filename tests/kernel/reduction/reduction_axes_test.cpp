// ReductionKernel: axes, shapes, views, compared with a plain evaluator.
#include <algorithm>

#include "core/base/error.hpp"
#include "core/kernel/reduction/kernel.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"

namespace kernelbatch {
namespace {

using test::counting;
using test::device_array;
using test::stream;
using test::values_of;

const ReductionKernel& sum() {
  static const ReductionKernel kernel{{.in = "T x",
                                       .out = "T y",
                                       .map = "x",
                                       .reduce = "a + b",
                                       .post_map = "y = a",
                                       .identity = "0",
                                       .name = "sum"}};
  return kernel;
}

/// Sums over some axes, one element after the other.
std::vector<std::int64_t> plain_sum(const std::vector<std::int64_t>& values, const Shape& shape,
                                    const std::vector<int>& axes) {
  const auto is_reduced = [&](int axis) {
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
  };
  std::int64_t count = 1;
  for (int axis = 0; axis < shape.count(); ++axis)
    if (!is_reduced(axis)) count *= shape[axis];
  std::vector<std::int64_t> sums(static_cast<std::size_t>(count), 0);
  for (std::size_t k = 0; k < values.size(); ++k) {
    auto rest = static_cast<std::int64_t>(k);
    std::int64_t at = 0;
    std::int64_t step = 1;
    for (int axis = shape.count() - 1; axis >= 0; --axis) {
      if (!is_reduced(axis)) {
        at += rest % shape[axis] * step;
        step *= shape[axis];
      }
      rest /= shape[axis];
    }
    sums[static_cast<std::size_t>(at)] += values[k];
  }
  return sums;
}

const std::vector<std::vector<int>> kAxesOfThree{{},     {0},    {1},    {2},
                                                 {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}};

TEST_CASE("Sums are correct for every choice of axes of every layout") {
  const Array base = device_array(counting<std::int64_t>(5 * 7 * 33), {5, 7, 33});
  const std::vector<int> swapped{1, 0, 2};
  const std::vector<Array> layouts{base,
                                   base.transpose(),
                                   base.transpose(swapped),
                                   base.slice(2, 32, 11, -3),
                                   base.slice(0, 4, 5, -1),
                                   base.slice(1, 1, 3, 2).transpose(),
                                   base.slice(1, 2, 1, 1),
                                   base.slice(1, 0, 1, 1).broadcast_to({5, 4, 33})};
  for (const Array& x : layouts) {
    const std::vector<std::int64_t> values = values_of<std::int64_t>(x);
    for (const std::vector<int>& axes : kAxesOfThree)
      CHECK(values_of<std::int64_t>(sum().over(axes)(stream(), x)[0]) ==
            plain_sum(values, x.shape(), axes));
  }
}

TEST_CASE("Rows and columns of any length are summed along both axes") {
  for (const std::int64_t rows : {1, 2, 7, 8, 31, 32, 33, 64, 1000})
    for (const std::int64_t columns : {1, 2, 3, 7, 8, 31, 33, 64, 257, 1000}) {
      const Array x = device_array(counting<std::int64_t>(rows * columns), {rows, columns});
      const std::vector<std::int64_t> values = values_of<std::int64_t>(x);
      INFO(rows << " x " << columns);
      CHECK(values_of<std::int64_t>(sum().over({0})(stream(), x)[0]) ==
            plain_sum(values, x.shape(), {0}));
      CHECK(values_of<std::int64_t>(sum().over({1})(stream(), x)[0]) ==
            plain_sum(values, x.shape(), {1}));
    }
}

TEST_CASE("Axes may be negative and in any order") {
  const Array x = device_array(counting<std::int64_t>(24), {2, 3, 4});
  const std::vector<std::int64_t> expected =
      plain_sum(counting<std::int64_t>(24), {2, 3, 4}, {0, 2});
  CHECK(values_of<std::int64_t>(sum().over({-1, 0})(stream(), x)[0]) == expected);
  CHECK(values_of<std::int64_t>(sum().over({2, -3})(stream(), x)[0]) == expected);
}

TEST_CASE("Kept dimensions have length one") {
  const Array x = device_array(counting<int>(24), {2, 3, 4});
  CHECK(sum().over({1}, true)(stream(), x)[0].shape() == Shape{2, 1, 4});
  CHECK(sum().over({0, 2}, true)(stream(), x)[0].shape() == Shape{1, 3, 1});
  CHECK(sum().over({1})(stream(), x)[0].shape() == Shape{2, 4});
  CHECK(sum()(stream(), x)[0].shape() == Shape{});
  const Argument arguments[] = {x};
  CHECK(sum().call(stream(), arguments, {std::nullopt, true})[0].shape() == Shape{1, 1, 1});
  CHECK(values_of<int>(sum().over({1}, true)(stream(), x)[0]) ==
        values_of<int>(sum().over({1})(stream(), x)[0]));
}

TEST_CASE("Arrays without axes reduce to themselves") {
  const Array x = device_array<int>({5}, {});
  CHECK(values_of<int>(sum()(stream(), x)[0]) == std::vector<int>{5});
  CHECK(values_of<int>(sum().over({})(stream(), x)[0]) == std::vector<int>{5});
}

TEST_CASE("Inputs broadcast together before they are reduced") {
  const ReductionKernel dot{{.in = "T x, T y",
                             .out = "T z",
                             .map = "x * y",
                             .reduce = "a + b",
                             .post_map = "z = a",
                             .identity = "0",
                             .name = "dot"}};
  const Array column = device_array(counting<std::int64_t>(4), {4, 1});
  const Array row = device_array(counting<std::int64_t>(300), {300});
  CHECK(values_of<std::int64_t>(dot(stream(), column, row)[0])[0] == 6 * (299 * 300 / 2));
  CHECK(values_of<std::int64_t>(dot.over({0})(stream(), column, row)[0])[299] == 6 * 299);
  CHECK(values_of<std::int64_t>(dot.over({1})(stream(), column, row)[0])[3] == 3 * (299 * 300 / 2));
  CHECK(values_of<std::int64_t>(dot(stream(), row, row.slice(0, 1, 1, 1))[0])[0] == 299 * 300 / 2);
}

TEST_CASE("Given outputs of a reduction may be transposed, strided and reversed") {
  const Array x = device_array(counting<int>(3 * 5 * 40), {3, 40, 5});
  const std::vector<int> expected = values_of<int>(sum().over({1})(stream(), x)[0]);
  const Array memory = device_array(std::vector<int>(60, -1));
  for (const Array& out : {memory.slice(0, 0, 15, 1).reshape({5, 3}).transpose(),
                           memory.slice(0, 0, 45, 1).reshape({3, 15}).slice(1, 1, 5, 3),
                           memory.slice(0, 0, 15, 1).reshape({3, 5}).slice(1, 4, 5, -1)}) {
    const Argument arguments[] = {x, out};
    const std::vector<Array> returned = sum().call(stream(), arguments, {.axes = {{1}}});
    CHECK(values_of<int>(out) == expected);
    CHECK(returned[0].data() == out.data());
    CHECK(sum().over({1})(stream(), x, out).empty());
  }
  const Array kept = Array::on_device(test::device(), DType::kInt32, {3, 1, 5});
  sum().over({1}, true)(stream(), x, kept);
  CHECK(values_of<int>(kept) == expected);
}

TEST_CASE("Views that begin at any element are summed completely") {
  const Array x = device_array(counting<float>(5000));
  for (const std::int64_t start : {0, 1, 2, 3, 4, 5, 7})
    for (const std::int64_t count : {1, 2, 5, 31, 1000, 4990}) {
      const auto last = static_cast<float>(start + count - 1);
      const Array largest =
          ReductionKernel{{.in = "T x",
                           .out = "T y",
                           .map = "x",
                           .reduce = "a > b ? a : b",
                           .post_map = "y = a",
                           .identity = std::nullopt,
                           .name = "largest"}}(stream(), x.slice(0, start, count, 1))[0];
      CHECK(values_of<float>(largest)[0] == last);
      CHECK(values_of<float>(
                sum()(stream(), x.slice(0, start, count, 1).reshape({1, count}))[0])[0] ==
            Approx(static_cast<double>(count) * (static_cast<double>(start) + last) / 2)
                .epsilon(1e-5));
    }
}

}  // namespace
}  // namespace kernelbatch
