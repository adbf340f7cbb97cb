#include "core/array/shape.hpp"

#include <vector>

#include "core/base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/error_text.hpp"

namespace kernelbatch {
namespace {

Shape broadcast(const std::vector<Shape>& shapes) { return broadcast_shapes(shapes); }

TEST_CASE("Shapes are written as Python writes tuples") {
  CHECK(to_text(Shape{}) == "()");
  CHECK(to_text(Shape{7}) == "(7,)");
  CHECK(to_text(Shape{2, 5}) == "(2, 5)");
}

TEST_CASE("An array has at most 32 axes") {
  CHECK(Extents::filled(32, 2).count() == 32);
  CHECK(test::error_text<SpecError>([] { Extents::filled(33, 2); }) ==
        "an array can have at most 32 axes");
}

TEST_CASE("Elements are counted without overflow") {
  CHECK(element_count({}) == 1);
  CHECK(element_count({2, 3, 5}) == 30);
  CHECK(element_count({2, 0, 5}) == 0);
  CHECK(element_count({std::int64_t{1} << 31, std::int64_t{1} << 31}) == std::int64_t{1} << 62);
  CHECK_THROWS_AS(element_count({std::int64_t{1} << 32, std::int64_t{1} << 31}), SpecError);
  CHECK_THROWS_AS(element_count({INT64_MAX, INT64_MAX, 0}), SpecError);
  CHECK_THAT(test::error_text<SpecError>([] { element_count({3, -1}); }), Contains("(3, -1)"));
}

TEST_CASE("Strides of C order count bytes from the last axis") {
  CHECK(contiguous_strides({2, 3, 5}, 4) == Strides{60, 20, 4});
  CHECK(contiguous_strides({}, 8) == Strides{});
  CHECK(contiguous_strides({2, 0, 5}, 1) == Strides{5, 5, 1});
}

TEST_CASE("Shapes broadcast by NumPy's rules") {
  CHECK(broadcast({{5}}) == Shape{5});
  CHECK(broadcast({{3, 1}, {4}}) == Shape{3, 4});
  CHECK(broadcast({{}, {2, 2}}) == Shape{2, 2});
  CHECK(broadcast({{1}, {0}}) == Shape{0});
  CHECK(broadcast({{8, 1, 6, 1}, {7, 1, 5}}) == Shape{8, 7, 6, 5});
  CHECK(broadcast({}) == Shape{});
}

TEST_CASE("Shapes that do not broadcast are all named") {
  CHECK(test::error_text<SpecError>([] {
          broadcast({{2, 3}, {1}, {4}});
        }) == "operands could not be broadcast together with shapes (2, 3) (1,) (4,)");
  CHECK_THROWS_AS(broadcast({{0}, {2}}), SpecError);
}

}  // namespace
}  // namespace kernelbatch
