// ElementwiseKernel: sizes, views, broadcasting, indices.
#include <numeric>

#include "core/base/error.hpp"
#include "core/kernel/elementwise/kernel.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"

namespace kernelbatch {
namespace {

using test::counting;
using test::device_array;
using test::stream;
using test::values_of;

const ElementwiseKernel& axpy() {
  static const ElementwiseKernel kernel{
      {.in = "T a, T x, T y", .out = "T z", .operation = "z = a * x + y", .name = "axpy"}};
  return kernel;
}

/// The rows × columns matrix 0, 1, 2, … on the device.
Array matrix(std::int64_t rows, std::int64_t columns) {
  return device_array(counting<int>(rows * columns), {rows, columns});
}

TEST_CASE("Every size covers every element, packed or not") {
  for (const std::int64_t n : {1, 2, 3, 4, 31, 32, 33, 1000, 100003}) {
    const Array x = device_array(counting<float>(n));
    const Array y = device_array(counting<float>(n, 5));
    const std::vector<float> z = values_of<float>(axpy()(stream(), 2, x, y)[0]);
    REQUIRE(z.size() == static_cast<std::size_t>(n));
    bool right = true;
    for (std::size_t k = 0; k < z.size(); ++k)
      right = right && z[k] == static_cast<float>(3 * k + 5);
    CHECK(right);
  }
}

TEST_CASE("Elements past the end of a given output are unchanged") {
  for (const std::int64_t n : {1, 3, 5, 17, 1001}) {
    const Array memory =
        device_array(std::vector<signed char>(static_cast<std::size_t>(n) + 40, 7));
    const Array x = device_array(std::vector<signed char>(static_cast<std::size_t>(n), 1));
    axpy()(stream(), 1, x, x, memory.slice(0, 16, n, 1));
    std::vector<signed char> expected(static_cast<std::size_t>(n) + 40, 7);
    std::fill_n(expected.begin() + 16, n, static_cast<signed char>(2));
    CHECK(values_of<signed char>(memory) == expected);
  }
}

TEST_CASE("Views that begin at any element are read and written correctly") {
  const Array x = device_array(counting<float>(200));
  for (const std::int64_t start : {0, 1, 2, 3, 4, 5}) {
    const Array out = device_array(std::vector<float>(200, -1));
    const ElementwiseKernel twice{
        {.in = "T x", .out = "T y", .operation = "y = 2 * x", .name = "twice"}};
    twice(stream(), x.slice(0, start, 150, 1), out.slice(0, 7 - start, 150, 1));
    std::vector<float> expected(200, -1);
    for (std::int64_t k = 0; k < 150; ++k)
      expected[static_cast<std::size_t>(7 - start + k)] = static_cast<float>(2 * (start + k));
    CHECK(values_of<float>(out) == expected);
  }
}

TEST_CASE("Arrays of no elements launch nothing and give empty outputs") {
  const Array x = Array::on_device(test::device(), DType::kFloat32, {0, 5});
  CHECK(axpy()(stream(), 1, x, x)[0].shape() == Shape{0, 5});
  const Array one = device_array<float>({1});
  CHECK(axpy()(stream(), 1, x.slice(1, 0, 1, 1), one)[0].shape() == Shape{0, 1});
}

TEST_CASE("Arrays without axes are single elements") {
  const Array x = device_array<double>({3}, {});
  const Array z = axpy()(stream(), 2, x, x)[0];
  CHECK(z.shape() == Shape{});
  CHECK(values_of<double>(z) == std::vector<double>{9});
}

TEST_CASE("Operands broadcast together") {
  const ElementwiseKernel join{
      {.in = "T x, T y", .out = "T z", .operation = "z = 100 * x + y", .name = "join"}};
  const Array column = matrix(4, 1);
  const Array row = matrix(1, 3);
  CHECK(join(stream(), column, row)[0].shape() == Shape{4, 3});
  std::vector<int> expected;
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 3; ++c) expected.push_back(100 * r + c);
  CHECK(values_of<int>(join(stream(), column, row)[0]) == expected);
  CHECK(values_of<int>(join(stream(), column, device_array(counting<int>(3)))[0]) == expected);
  CHECK(values_of<int>(join(stream(), device_array<int>({7}), device_array<int>({1}, {}))[0]) ==
        std::vector<int>{701});
}

TEST_CASE("One element broadcasts to a packed vector") {
  const ElementwiseKernel join{
      {.in = "T x, T y", .out = "T z", .operation = "z = 100 * x + y", .name = "join"}};
  const Array z = join(stream(), device_array<int>({3}), device_array(counting<int>(1003)))[0];
  CHECK(values_of<int>(z) == counting<int>(1003, 300));
}

TEST_CASE("A given output takes part in broadcasting") {
  const ElementwiseKernel copy{
      {.in = "T x", .out = "T y", .operation = "y = x", .name = "copy_elements"}};
  const Array out = matrix(3, 2);
  copy(stream(), device_array<int>({7, 8}), out);
  CHECK(values_of<int>(out) == std::vector<int>{7, 8, 7, 8, 7, 8});
}

TEST_CASE("Strided, transposed and reversed operands are combined correctly") {
  const ElementwiseKernel join{
      {.in = "T x, T y", .out = "T z", .operation = "z = 1000 * x + y", .name = "join"}};
  const Array a = matrix(6, 8);
  const std::vector<int> identity = values_of<int>(a);
  const std::vector<std::pair<Array, Array>> cases{
      {a.slice(1, 0, 4, 2), a.slice(1, 1, 4, 2)},        {a.slice(0, 5, 6, -1), a},
      {a.slice(1, 7, 8, -1), a.slice(0, 5, 6, -1)},      {a.transpose(), matrix(8, 6)},
      {a.transpose(), a.transpose().slice(1, 5, 6, -1)}, {a.slice(0, 0, 1, 1), a},
      {a.slice(1, 3, 1, 1), a.slice(0, 2, 1, 1)}};
  for (const auto& [x, y] : cases) {
    const Array z = join(stream(), x, y)[0];
    const std::vector<int> xs = values_of<int>(x.broadcast_to(z.shape()));
    const std::vector<int> ys = values_of<int>(y.broadcast_to(z.shape()));
    std::vector<int> expected;
    for (std::size_t k = 0; k < xs.size(); ++k) expected.push_back(1000 * xs[k] + ys[k]);
    CHECK(values_of<int>(z) == expected);
  }
  CHECK(values_of<int>(a) == identity);
}

TEST_CASE("Long rows are processed completely, whatever pieces they are cut into") {
  const ElementwiseKernel join{
      {.in = "T x, T y", .out = "T z", .operation = "z = 2 * x + 3 * y", .name = "join_rows"}};
  const ElementwiseKernel number{{.in = "T x",
                                  .out = "int64 z",
                                  .operation = "z = 1000 * i + x % 1000",
                                  .name = "number_rows"}};
  for (const auto& [rows, columns] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {3, 20001}, {70, 8193}, {8193, 70}, {257, 33}, {1, 40000}}) {
    INFO(rows << " x " << columns);
    const Array x = matrix(rows, columns), y = matrix(columns, rows).transpose();
    const std::vector<int> across = values_of<int>(join(stream(), x, y)[0]);
    const std::vector<int> row = values_of<int>(join(stream(), x, matrix(1, columns))[0]);
    const std::vector<int> column = values_of<int>(join(stream(), x, matrix(rows, 1))[0]);
    const std::vector<std::int64_t> numbers = values_of<std::int64_t>(number(stream(), y)[0]);
    bool right = across.size() == static_cast<std::size_t>(rows * columns);
    for (std::int64_t r = 0, k = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < columns; ++c, ++k) {
        const auto at = static_cast<std::size_t>(k);
        right = right && across[at] == 2 * k + 3 * (c * rows + r) && row[at] == 2 * k + 3 * c &&
                column[at] == 2 * k + 3 * r && numbers[at] == 1000 * k + (c * rows + r) % 1000;
      }
    CHECK(right);
  }
  const Array all = device_array(counting<int>(60003));
  const std::vector<int> thirds =
      values_of<int>(join(stream(), all.slice(0, 1, 20001, 3), all.slice(0, 20000, 20001, -1))[0]);
  bool right = true;
  for (int k = 0; k < 20001; ++k)
    right = right && thirds[static_cast<std::size_t>(k)] == 2 * (3 * k + 1) + 3 * (20000 - k);
  CHECK(right);
}

TEST_CASE("Given outputs may be transposed, strided and reversed") {
  const ElementwiseKernel copy{
      {.in = "T x", .out = "T y", .operation = "y = x", .name = "copy_elements"}};
  const Array x = matrix(4, 5);
  const Array memory = device_array(std::vector<int>(80, -1));
  const std::vector<Array> outputs{memory.slice(0, 0, 20, 1).reshape({5, 4}).transpose(),
                                   memory.reshape({4, 20}).slice(1, 1, 5, 3),
                                   memory.reshape({4, 20}).slice(1, 19, 5, -2),
                                   memory.reshape({4, 20}).slice(0, 3, 4, -1).slice(1, 4, 5, 1)};
  for (const Array& out : outputs) {
    const Argument arguments[] = {x, out};
    const std::vector<Array> returned = copy.call(stream(), arguments);
    CHECK(values_of<int>(out) == counting<int>(20));
    CHECK(returned[0].data() == out.data());
    CHECK(copy(stream(), x, out).empty());
  }
}

TEST_CASE("An input may also be the output") {
  const Array x = device_array(counting<int>(1001));
  const ElementwiseKernel next{
      {.in = "T x", .out = "T y", .operation = "y = x + 1", .name = "next"}};
  for (int repeat = 0; repeat < 3; ++repeat) next(stream(), x, x);
  CHECK(values_of<int>(x) == counting<int>(1001, 3));
  const Array turned = matrix(3, 4).transpose();
  next(stream(), turned, turned);
  CHECK(values_of<int>(turned.transpose()) == counting<int>(12, 1));
}

TEST_CASE("Interleaved views of one memory do not overlap") {
  const Array memory = device_array(counting<int>(20));
  const ElementwiseKernel copy{
      {.in = "T x", .out = "T y", .operation = "y = x", .name = "copy_elements"}};
  copy(stream(), memory.slice(0, 0, 10, 2), memory.slice(0, 1, 10, 2));
  std::vector<int> expected;
  for (int k = 0; k < 20; ++k) expected.push_back(k / 2 * 2);
  CHECK(values_of<int>(memory) == expected);
}

TEST_CASE("A matrix of many axes is processed as one axis") {
  Shape shape;
  for (int axis = 0; axis < 12; ++axis) shape.push_back(2);
  const Array x = device_array(counting<int>(4096), shape);
  const ElementwiseKernel twice{
      {.in = "T x", .out = "T y", .operation = "y = 2 * x", .name = "twice"}};
  std::vector<int> expected;
  for (int k = 0; k < 4096; ++k) expected.push_back(2 * k);
  CHECK(values_of<int>(twice(stream(), x)[0]) == expected);
  const Array turned = x.transpose();
  CHECK(values_of<int>(twice(stream(), turned)[0].transpose()) == expected);
}

TEST_CASE("Thirty-two axes are supported") {
  const Array x = device_array<int>({1, 2, 3, 4}, Shape{2, 2}).reshape([] {
    Shape shape = Extents::filled(32, 1);
    shape[3] = shape[31] = 2;
    return shape;
  }());
  const ElementwiseKernel copy{{.in = "T x",
                                .out = "T y",
                                .operation = "y = x",
                                .name = "copy_elements",
                                .options = {.preamble = "",
                                            .loop_prep = "",
                                            .after_loop = "",
                                            .reduce_dims = false,
                                            .options = {}}}};
  CHECK(values_of<int>(copy(stream(), x)[0]) == std::vector<int>{1, 2, 3, 4});
}

}  // namespace
}  // namespace kernelbatch
