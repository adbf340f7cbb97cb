// ReductionKernel: shapes of every proportion, many axes, raw inputs, outputs that are views.
#include "core/kernel/elementwise/kernel.hpp"
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
                                       .out = "int64 y",
                                       .map = "x",
                                       .reduce = "a + b",
                                       .post_map = "y = a",
                                       .identity = "0",
                                       .name = "long_sum"}};
  return kernel;
}

/// i mod 7 in a shape, without a copy on the host.
Array sevens(const Shape& shape) {
  const Array array = Array::on_device(test::device(), DType::kInt8, shape);
  const ElementwiseKernel fill{
      {.in = "", .out = "int8 y", .operation = "y = i % 7", .name = "fill_sevens"}};
  fill(stream(), array);
  return array;
}

/// Sum of k mod 7 for k < count.
std::int64_t sum_of_sevens(std::int64_t count) {
  const std::int64_t rest = count % 7;
  return count / 7 * 21 + rest * (rest - 1) / 2;
}

TEST_CASE("Two million rows of eight") {
  const std::int64_t rows = 2000000;
  const std::vector<std::int64_t> got =
      values_of<std::int64_t>(sum().over({1})(stream(), sevens({rows, 8}))[0]);
  bool right = true;
  for (std::int64_t r = 0; r < rows; ++r)
    right = right &&
            got[static_cast<std::size_t>(r)] == sum_of_sevens(8 * r + 8) - sum_of_sevens(8 * r);
  CHECK(right);
}

TEST_CASE("Two million columns of eight") {
  const std::int64_t columns = 2000000;
  const std::vector<std::int64_t> got =
      values_of<std::int64_t>(sum().over({0})(stream(), sevens({8, columns}))[0]);
  bool right = true;
  for (std::int64_t c = 0; c < columns; ++c) {
    std::int64_t expected = 0;
    for (std::int64_t r = 0; r < 8; ++r) expected += (r * columns + c) % 7;
    right = right && got[static_cast<std::size_t>(c)] == expected;
  }
  CHECK(right);
}

TEST_CASE("A thousand by a thousand by ten over the middle, the ends and all") {
  const Array x = sevens({1000, 1000, 10});
  const std::vector<std::int64_t> middle = values_of<std::int64_t>(sum().over({1})(stream(), x)[0]);
  std::vector<std::int64_t> expected(10000, 0), ends(1000, 0);
  for (std::int64_t k = 0; k < 10000000; ++k) {
    expected[static_cast<std::size_t>(k / 10000 * 10 + k % 10)] += k % 7;
    ends[static_cast<std::size_t>(k / 10 % 1000)] += k % 7;
  }
  CHECK(middle == expected);
  CHECK(values_of<std::int64_t>(sum().over({0, 2})(stream(), x)[0]) == ends);
  CHECK(values_of<std::int64_t>(sum()(stream(), x)[0])[0] == sum_of_sevens(10000000));
}

TEST_CASE("One row of a hundred million, on a GPU of a thousand million") {
  const std::int64_t count = test::on_cuda() ? 1000000000 : 100000000;
  const Array x = sevens({1, count});
  CHECK(values_of<std::int64_t>(sum().over({1})(stream(), x)[0])[0] == sum_of_sevens(count));
  CHECK(values_of<std::int64_t>(sum().over({1})(stream(), x.slice(1, 1, count - 1, 1))[0])[0] ==
        sum_of_sevens(count));
  const Array wide = x.reshape({4, count / 4});
  const std::vector<std::int64_t> got = values_of<std::int64_t>(sum().over({1})(stream(), wide)[0]);
  CHECK(got[0] == sum_of_sevens(count / 4));
  CHECK(got[0] + got[1] + got[2] + got[3] == sum_of_sevens(count));
}

TEST_CASE("Thirty-two axes are reduced") {
  Shape shape;
  std::vector<int> odd;
  for (int axis = 0; axis < 32; ++axis) {
    shape.push_back(axis % 3 == 1 && axis < 31 ? 2 : 1);
    if (axis % 2 == 1) odd.push_back(axis);
  }
  const Array x = device_array(counting<int>(1024), shape);
  // Every other one of the ten axes of two elements: bits 9, 7, 5, 3 and 1 of the index.
  const std::vector<std::int64_t> got = values_of<std::int64_t>(sum().over(odd)(stream(), x)[0]);
  REQUIRE(got.size() == 32);
  std::vector<std::int64_t> expected(32, 0);
  for (int k = 0; k < 1024; ++k) {
    int kept = 0;
    for (int bit = 0; bit < 5; ++bit) kept |= (k >> (2 * bit) & 1) << bit;
    expected[static_cast<std::size_t>(kept)] += k;
  }
  CHECK(got == expected);
  CHECK(values_of<std::int64_t>(sum().over(odd)(stream(), x.transpose())[0]).size() == 32);
  CHECK(values_of<std::int64_t>(sum()(stream(), x.transpose())[0])[0] == 1023 * 512);
}

TEST_CASE("Raw inputs are read at any index, whatever the axes") {
  const ReductionKernel kernel{{.in = "T x, raw T table, raw int32 other",
                                .out = "int64 y",
                                .map = "x * table[_J] + other[{_i % 2, 0}]",
                                .reduce = "a + b",
                                .post_map = "y = a + table.size()",
                                .identity = "0",
                                .name = "raw_sum"}};
  const Array x = device_array(counting<int>(60), {3, 4, 5});
  const Array table = device_array(counting<int>(120), {60, 2}).slice(1, 0, 1, 1);
  const Array other = device_array<int>({7, 8, 9, 10}, {2, 2});
  for (const std::vector<int>& axes :
       std::vector<std::vector<int>>{{}, {0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}}) {
    std::vector<std::int64_t> expected, counts;
    for (int k = 0; k < 60; ++k) {
      const int at[3] = {k / 20, k / 5 % 4, k % 5};
      const int extent[3] = {3, 4, 5};
      std::size_t out = 0;
      int inner = 0;
      for (int axis = 0; axis < 3; ++axis)
        if (std::find(axes.begin(), axes.end(), axis) == axes.end())
          out = out * static_cast<std::size_t>(extent[axis]) + static_cast<std::size_t>(at[axis]);
        else
          inner = inner * extent[axis] + at[axis];
      if (expected.size() <= out) expected.resize(out + 1, 60);
      expected[out] += std::int64_t{k} * 2 * inner + (out % 2 == 0 ? 7 : 9);
    }
    CHECK(values_of<std::int64_t>(kernel.over(axes)(stream(), x, table, other)[0]) == expected);
  }
}

TEST_CASE("Only the view's elements of an output view are written") {
  const Array x = device_array(counting<int>(3 * 40 * 5), {3, 40, 5});
  const std::vector<std::int64_t> sums = values_of<std::int64_t>(sum().over({1})(stream(), x)[0]);
  const Array memory = device_array(std::vector<std::int64_t>(90, -1));
  sum().over({1})(stream(), x, memory.reshape({9, 10}).slice(0, 7, 3, -3).slice(1, 1, 5, 2));
  std::vector<std::int64_t> expected(90, -1);
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 5; ++c) expected[(7 - 3 * r) * 10 + 1 + 2 * c] = sums[r * 5 + c];
  CHECK(values_of<std::int64_t>(memory) == expected);
}

TEST_CASE("Every dtype has its smallest and largest element found") {
  for (std::size_t k = 0; k < kDTypeCount; ++k) {
    const auto dtype = static_cast<DType>(k);
    if (info(dtype).kind == DTypeKind::kComplex) continue;
    const ReductionKernel ends{
        {.in = "T x",
         .out = "T low, T high",
         .map = "_ends{x, x}",
         .reduce = "_ends{b.low < a.low ? b.low : a.low, a.high < b.high ? b.high : a.high}",
         .post_map = "low = a.low; high = a.high",
         .identity = std::nullopt,
         .name = "ends",
         .options = {.preamble = "struct _ends { T low, high; };", .reduce_type = "_ends"}}};
    const ElementwiseKernel fill{{.in = "",
                                  .out = "T x",
                                  .operation = "x = static_cast<T>(float((i * 5 + 3) % 64))",
                                  .name = "fill"}};
    const ElementwiseKernel as_float{{.in = "T x",
                                      .out = "float32 y",
                                      .operation = "y = static_cast<float>(x)",
                                      .name = "as_float"}};
    const Array x = Array::on_device(test::device(), dtype, {11, 64});
    fill(stream(), x);
    const std::vector<Array> out = ends.over({1})(stream(), x);
    const float most = dtype == DType::kBool ? 1.0f : 63.0f;
    INFO(name_of(dtype));
    CHECK(values_of<float>(as_float(stream(), out[0])[0]) == std::vector<float>(11, 0));
    CHECK(values_of<float>(as_float(stream(), out[1])[0]) == std::vector<float>(11, most));
  }
}

}  // namespace
}  // namespace kernelbatch
