// Tiles of a plane: when they are chosen, and where their rows begin.
#include "core/kernel/elementwise/policy.hpp"
#include "core/kernel/elementwise/source.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/h200.hpp"

namespace kernelbatch {
namespace {

const ElementwiseDefinition kTwice{"T x", "T y", "y = x * T(2)", "twice", {}};

/// The loop of x * 2 for an array of `stored` whose axis k is axis order[k] in memory.
ElementwiseLoop loop_of(const Shape& stored, const std::vector<int>& order, DType dtype) {
  const Array x = Array::on_host(dtype, stored).transpose(order);
  const Array y = Array::on_host(dtype, x.shape());
  const std::vector<Argument> arguments = {x, y};
  CallArguments call = resolve_arguments("twice", kTwice.in, kTwice.out, arguments);
  return plan_elementwise(kTwice, std::move(call.types), x.shape(), arguments,
                          test::h200_properties());
}

PlaneLoop plane_of(const ElementwiseLoop& loop) {
  REQUIRE(loop.is<PlaneLoop>());
  return std::get<PlaneLoop>(loop.schedule);
}

TEST_CASE("Rows of several axes are one axis of a plane's columns") {
  const PlaneLoop plane = plane_of(loop_of({15, 5, 4, 1272}, {3, 2, 0, 1}, DType::kFloat64));
  CHECK(plane.down.count == 1272);
  CHECK(plane.across.count == 300);
  CHECK(plane.rows == 64);
  CHECK(plane.columns == 32);
  CHECK(plane.tiles.count == 20 * 10);
  // 300 elements of 8 bytes end with a sector.
  CHECK(plane.unit == 1);
}

TEST_CASE("Rows of a plane begin at sectors if they are no whole number of these") {
  const PlaneLoop plane = plane_of(loop_of({861, 4799}, {1, 0}, DType::kFloat32));
  CHECK(plane.unit == 8);
  CHECK(plane.width() == plane.columns + 7);
  CHECK(plane.tiles.extents[1] == (861 + 7 + plane.columns - 1) / plane.columns);
  CHECK(!loop_of({864, 4799}, {1, 0}, DType::kFloat32).is<PlaneLoop>());
}

TEST_CASE("Threads store words of narrow elements, also if rows begin within one") {
  // A thread's rows, 8 apart, begin equally far from multiples of 16 bytes.
  const PlaneLoop odd = plane_of(loop_of({5, 127, 1363}, {2, 1, 0}, DType::kInt16));
  CHECK(odd.pack == 2);
  CHECK(odd.unit == 8);
  CHECK(odd.has_ends());
  const PlaneLoop even = plane_of(loop_of({5, 126, 1363}, {2, 1, 0}, DType::kInt16));
  CHECK(even.unit == 16);
  const PlaneLoop whole = plane_of(loop_of({5, 128, 1363}, {2, 1, 0}, DType::kInt16));
  CHECK(whole.pack == 2);
  CHECK(!whole.has_ends());
}

TEST_CASE("A plane's inputs are read in words only if all of their runs consist of words") {
  CHECK(plane_of(loop_of({5, 127, 1364}, {2, 1, 0}, DType::kInt16)).packs[0] == 2);
  CHECK(plane_of(loop_of({5, 127, 1363}, {2, 1, 0}, DType::kInt16)).packs[0] == 1);
}

TEST_CASE(
    "Tiles below each other share sectors in the cache only if whole rows do not stay there") {
  const auto group = [](int columns, int rows) {
    return plane_of(loop_of({3, columns, rows}, {2, 1, 0}, DType::kFloat32)).tiles.extents[2];
  };
  CHECK(group(101, 1025) == 1);
  CHECK(group(20001, 1025) > 1);
  CHECK(group(20001, 1024) == 1);
}

TEST_CASE(
    "A plane with few rows or columns, or mostly empty tiles, is read in tiles along the axes") {
  CHECK(!loop_of({15, 5, 4, 31}, {3, 2, 0, 1}, DType::kFloat64).is<PlaneLoop>());
  CHECK(!loop_of({3, 5, 1272}, {2, 1, 0}, DType::kFloat64).is<PlaneLoop>());
  CHECK(!loop_of({5, 7, 1272}, {2, 1, 0}, DType::kFloat64).is<PlaneLoop>());
}

}  // namespace
}  // namespace kernelbatch
