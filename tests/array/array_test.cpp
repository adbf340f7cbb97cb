#include "core/array/array.hpp"

#include "core/base/error.hpp"
#include "core/device/device_list.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/error_text.hpp"

namespace kernelbatch {
namespace {

using test::values_of;

Array matrix() { return Array::from(test::counting<int>(6)).reshape({2, 3}); }

TEST_CASE("Copies of an array share its memory, which outlives the first of them") {
  Array view;
  {
    const Array array = Array::from<int>({1, 2, 3});
    view = array.slice(0, 1, 2, 1);
    array.as<int>()[1] = 20;
  }
  CHECK(values_of<int>(view) == std::vector<int>{20, 3});
}

TEST_CASE("A transposed view has the axes in the order asked for") {
  CHECK(matrix().transpose().shape() == Shape{3, 2});
  CHECK(values_of<int>(matrix().transpose()) == std::vector<int>{0, 3, 1, 4, 2, 5});
  const Array cube = Array::from(test::counting<int>(24)).reshape({2, 3, 4});
  const std::vector<int> order{2, 0, 1};
  CHECK(cube.transpose(order).shape() == Shape{4, 2, 3});
  CHECK(cube.transpose(order).strides() == Strides{4, 48, 16});
}

TEST_CASE("An order that is none of the axes is refused") {
  for (const std::vector<int>& order : {std::vector<int>{0}, std::vector<int>{0, 0},
                                        std::vector<int>{0, 2}, std::vector<int>{-1, 0}})
    CHECK_THROWS_AS(matrix().transpose(order), SpecError);
  CHECK(test::error_text<SpecError>([] {
          matrix().transpose(std::vector<int>{1, 1});
        }) == "(1, 1) is not an order of the 2 axes");
}

TEST_CASE("Slices step forwards and backwards within their axis") {
  const Array array = Array::from(test::counting<int>(10));
  CHECK(values_of<int>(array.slice(0, 1, 3, 4)) == std::vector<int>{1, 5, 9});
  CHECK(values_of<int>(array.slice(0, 9, 10, -1)) ==
        std::vector<int>{9, 8, 7, 6, 5, 4, 3, 2, 1, 0});
  CHECK(values_of<int>(array.slice(0, 9, 3, -4)) == std::vector<int>{9, 5, 1});
  CHECK(array.slice(0, 10, 0, 1).size() == 0);
  CHECK(values_of<int>(matrix().slice(1, 2, 2, -2)) == std::vector<int>{2, 0, 5, 3});
}

TEST_CASE("Slices that leave their axis are refused") {
  const Array array = Array::from(test::counting<int>(10));
  CHECK_THROWS_AS(array.slice(0, 0, 11, 1), SpecError);
  CHECK_THROWS_AS(array.slice(0, -1, 1, 1), SpecError);
  CHECK_THROWS_AS(array.slice(0, 2, 4, -1), SpecError);
  CHECK_THROWS_AS(array.slice(0, 0, 1, 0), SpecError);
  CHECK_THROWS_AS(array.slice(1, 0, 1, 1), SpecError);
  CHECK(test::error_text<SpecError>([&] { array.slice(0, 5, 3, 3); }) ==
        "slice of 3 elements from 5 by 3 leaves axis 0 of (10,)");
}

TEST_CASE("A broadcast view repeats without copying") {
  const Array row = Array::from<int>({1, 2, 3});
  const Array view = row.broadcast_to({2, 3});
  CHECK(view.strides() == Strides{0, 4});
  CHECK(values_of<int>(view) == std::vector<int>{1, 2, 3, 1, 2, 3});
  CHECK_FALSE(view.is_contiguous());
  CHECK(Array::from<int>({7}).broadcast_to({2, 2}).size() == 4);
  CHECK(test::error_text<SpecError>([&] {
          row.broadcast_to({2, 4});
        }) == "shape (3,) cannot be broadcast to (2, 4)");
  CHECK_THROWS_AS(matrix().broadcast_to({3}), SpecError);
}

TEST_CASE("Axes of one element do not matter for contiguity") {
  CHECK(matrix().slice(0, 0, 1, 1).is_contiguous());
  CHECK_FALSE(matrix().slice(1, 0, 1, 1).is_contiguous());
  CHECK(matrix().slice(1, 0, 0, 1).is_contiguous());
  CHECK(Array::on_host(DType::kInt8, {}).is_contiguous());
  CHECK_FALSE(matrix().transpose().is_contiguous());
}

TEST_CASE("Only contiguous arrays of equally many elements are viewed under another shape") {
  CHECK(values_of<int>(matrix().reshape({3, 2})) == test::counting<int>(6));
  CHECK(test::error_text<SpecError>([] { matrix().reshape({4}); }) ==
        "cannot view shape (2, 3) as (4,)");
  CHECK_THROWS_AS(matrix().transpose().reshape({6}), SpecError);
}

TEST_CASE("Elements are read as what they are") {
  CHECK(test::error_text<SpecError>([] { matrix().as<float>(); }) ==
        "the array holds int32, not float32");
  CHECK_THROWS_AS(matrix().transpose().as<int>(), SpecError);
}

TEST_CASE("Any view comes to the host in C order, from either side") {
  const Array host = Array::from(test::counting<std::int64_t>(24)).reshape({2, 3, 4});
  const Array there = to_device(host, test::stream());
  const auto views = [](const Array& a) {
    return std::vector<Array>{a.transpose(), a.slice(2, 3, 2, -3), a.slice(0, 1, 1, 1),
                              a.slice(1, 2, 3, -1).transpose(),
                              a.slice(0, 0, 1, 1).broadcast_to({5, 3, 4})};
  };
  const std::vector<Array> expected = views(host);
  const std::vector<Array> received = views(there);
  for (std::size_t k = 0; k < expected.size(); ++k)
    CHECK(values_of<std::int64_t>(received[k]) == values_of<std::int64_t>(expected[k]));
}

TEST_CASE("A copy needs equal dtypes and shapes, and contiguous arrays") {
  const Array six = Array::from(test::counting<int>(6));
  CHECK(test::error_text<SpecError>([&] { copy(six, matrix(), test::stream()); }) ==
        "cannot copy int32 (6,) to int32 (2, 3)");
  CHECK_THROWS_AS(copy(six, Array::on_host(DType::kFloat32, {6}), test::stream()), SpecError);
  CHECK_THROWS_AS(copy(matrix().transpose(), Array::on_host(DType::kInt32, {3, 2}), test::stream()),
                  SpecError);
}

TEST_CASE("A shape larger than any memory is refused before memory is asked for") {
  const std::int64_t big = std::int64_t{1} << 60;
  CHECK_THROWS_AS(Array::on_host(DType::kInt8, {big}), SpecError);
  CHECK_THROWS_AS(Array::on_host(DType::kInt8, {-1}), SpecError);
  CHECK(Array::on_host(DType::kFloat64, {0, big}).size() == 0);
}

}  // namespace
}  // namespace kernelbatch
