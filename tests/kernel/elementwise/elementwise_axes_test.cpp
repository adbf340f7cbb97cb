// ElementwiseKernel: many axes, kept axes, and loops in another order than C's.
#include <numeric>

#include "core/kernel/elementwise/kernel.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"

namespace kernelbatch {
namespace {

using test::counting;
using test::device_array;
using test::stream;
using test::values_of;

/// 0, 1, 2, … in a shape of 32 axes, ten of which have two elements.
Array many_axes() {
  Shape shape;
  for (int axis = 0; axis < kMaxAxes; ++axis) shape.push_back(axis % 3 == 1 && axis < 31 ? 2 : 1);
  return device_array(counting<int>(element_count(shape)), shape);
}

TEST_CASE("Thirty-two axes in another order are processed correctly") {
  const Array x = many_axes();
  REQUIRE(x.axes() == 32);
  REQUIRE(x.size() == 1024);
  const ElementwiseKernel join{
      {.in = "T x, T y", .out = "T z", .operation = "z = 5000 * x + y", .name = "join"}};
  ElementwiseOptions kept;
  kept.reduce_dims = false;
  const ElementwiseKernel join_kept{{.in = "T x, T y",
                                     .out = "T z",
                                     .operation = "z = 5000 * x + y",
                                     .name = "join_kept",
                                     .options = kept}};
  std::vector<int> order(32);
  std::iota(order.begin(), order.end(), 0);
  // Exchange every other axis of two elements with the next.
  for (std::size_t axis = 1; axis + 6 < 31; axis += 6) std::swap(order[axis], order[axis + 3]);
  const Array turned = x.transpose(order);
  const std::vector<int> xs = values_of<int>(x);
  const std::vector<int> ys = values_of<int>(turned);
  std::vector<int> expected;
  for (std::size_t k = 0; k < xs.size(); ++k) expected.push_back(5000 * xs[k] + ys[k]);
  REQUIRE(xs != ys);
  CHECK(values_of<int>(join(stream(), x, turned)[0]) == expected);
  CHECK(values_of<int>(join_kept(stream(), x, turned)[0]) == expected);
}

TEST_CASE("Kept axes are the user's, even if they could be merged") {
  ElementwiseOptions options;
  options.reduce_dims = false;
  const ElementwiseKernel kernel{
      {.in = "T x",
       .out = "T y",
       .operation = "y = 100 * _ind.get()[0] + 10 * _ind.get()[1] + _ind.get()[2] + x",
       .name = "kept",
       .options = options}};
  std::vector<int> expected;
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 3; ++b)
      for (int c = 0; c < 4; ++c) expected.push_back(100 * a + 10 * b + c);
  CHECK(values_of<int>(kernel(stream(), device_array(std::vector<int>(24, 0), {2, 3, 4}))[0]) ==
        expected);
  const Array out = Array::on_device(test::device(), DType::kInt32, {4, 3, 2});
  kernel(stream(), device_array<int>({0}), out.transpose());
  CHECK(values_of<int>(out.transpose()) == expected);
}

TEST_CASE("Arrays of one order other than C's cover every element") {
  const ElementwiseKernel add{
      {.in = "T x, T y", .out = "T z", .operation = "z = x + 1000 * y", .name = "add_turned"}};
  const std::vector<int> order{2, 0, 1};
  const Array x = device_array(counting<int>(6 * 7 * 8), {6, 7, 8});
  const Array y = device_array(counting<int>(6 * 7 * 8, 7), {6, 7, 8});
  const Array z = device_array(std::vector<int>(6 * 7 * 8, -1), {6, 7, 8});
  std::vector<int> expected;
  for (int k = 0; k < 6 * 7 * 8; ++k) expected.push_back(k + 1000 * (k + 7));
  SECTION("all reversed") { add(stream(), x.transpose(), y.transpose(), z.transpose()); }
  SECTION("all turned") {
    add(stream(), x.transpose(order), y.transpose(order), z.transpose(order));
  }
  SECTION("backwards too") {
    const auto view = [&](const Array& a) { return a.slice(1, 6, 7, -1).transpose(order); };
    add(stream(), view(x), view(y), view(z));
  }
  CHECK(values_of<int>(z) == expected);
}

TEST_CASE("Inputs of different orders combine into an output of either order") {
  const ElementwiseKernel add{
      {.in = "T x, T y", .out = "T z", .operation = "z = x + 1000 * y", .name = "add_turned"}};
  const Array x = device_array(counting<int>(50 * 70), {50, 70});
  const Array y = device_array(counting<int>(50 * 70), {70, 50}).transpose();
  const Array column = device_array(counting<int>(50), {50, 1});
  const Array row = device_array(counting<int>(70));
  const Array memory = device_array(std::vector<int>(50 * 70, -1));
  for (const Array& z : {memory.reshape({50, 70}), memory.reshape({70, 50}).transpose()})
    for (const auto& [a, b] : std::vector<std::pair<Array, Array>>{
             {x, y}, {y, x}, {x, x}, {y, y}, {column, y}, {row, y}, {x, column}, {column, row}}) {
      add(stream(), a, b, z);
      const std::vector<int> as = values_of<int>(a.broadcast_to({50, 70}));
      const std::vector<int> bs = values_of<int>(b.broadcast_to({50, 70}));
      std::vector<int> expected;
      for (std::size_t k = 0; k < as.size(); ++k) expected.push_back(as[k] + 1000 * bs[k]);
      CHECK(values_of<int>(z) == expected);
    }
}

TEST_CASE("Indices in a text are C's, whatever the order of memory") {
  const Array x = device_array(std::vector<std::int64_t>(12, 0), {3, 4}).transpose();
  const Array z = device_array(std::vector<std::int64_t>(12, -1), {3, 4}).transpose();
  const ElementwiseKernel by_i{
      {.in = "T x", .out = "T z", .operation = "z = x + i", .name = "by_i"}};
  ElementwiseOptions options;
  options.preamble = "#define WHERE (i)";
  const ElementwiseKernel by_macro{{.in = "T x",
                                    .out = "T z",
                                    .operation = "z = x + WHERE",
                                    .name = "by_macro",
                                    .options = options}};
  const ElementwiseKernel by_raw{
      {.in = "T x, raw T y", .out = "T z", .operation = "z = x + y[i]", .name = "by_raw"}};
  by_i(stream(), x, z);
  CHECK(values_of<std::int64_t>(z) == counting<std::int64_t>(12));
  by_macro(stream(), x, z);
  CHECK(values_of<std::int64_t>(z) == counting<std::int64_t>(12));
  by_raw(stream(), x, device_array(counting<std::int64_t>(12, 5)), z);
  CHECK(values_of<std::int64_t>(z) == counting<std::int64_t>(12, 5));
}

}  // namespace
}  // namespace kernelbatch
