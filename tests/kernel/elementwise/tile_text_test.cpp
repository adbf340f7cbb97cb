// The text of tiles: what a thread computes once, and the threads of a pass.
#include <algorithm>

#include "core/kernel/elementwise/policy.hpp"
#include "core/kernel/elementwise/source.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/h200.hpp"

namespace kernelbatch {
namespace {

TileOrder rows_of(int run, int pack = 1) {
  TileOrder order{.axes = {1, 0}, .run_axes = 1, .run = run, .pack = pack, .count = run * 60};
  order.choose_lanes();
  order.choose_rows();
  return order;
}

TEST_CASE("A pass over a tile takes as many whole rows as threads suffice for") {
  const TileOrder short_rows = rows_of(22, 2);
  CHECK(short_rows.by_rows);
  CHECK(short_rows.lanes == 11);
  CHECK(short_rows.rows_of_pass() == 23);
  CHECK(short_rows.passes() == 3);
  CHECK(rows_of(57).lanes == 64);
  CHECK(rows_of(57).passes() == 15);
  const TileOrder long_rows = rows_of(300);
  CHECK(!long_rows.by_rows);
  CHECK(long_rows.passes() == (60 * 300 + 255) / 256);
}

/// The kernel of x * 2 for an array with permuted axes.
std::string text_of(const Shape& shape, const std::vector<int>& order,
                    DType dtype = DType::kInt16) {
  const ElementwiseDefinition definition{"T x", "T y", "y = x * T(2)", "twice", {}};
  const Array x = Array::on_host(dtype, shape).transpose(order);
  const Array y = Array::on_host(dtype, x.shape());
  const std::vector<Argument> arguments = {x, y};
  CallArguments call = resolve_arguments("twice", definition.in, definition.out, arguments);
  const ElementwiseLoop loop = plan_elementwise(definition, std::move(call.types), x.shape(),
                                                arguments, test::h200_properties());
  REQUIRE(loop.is<TiledLoop>());
  return elementwise_source(definition, loop);
}

int count_of(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST_CASE("Threads compute the places of their rows only once if packs are narrower than words") {
  CHECK(count_of(text_of({454, 912, 98}, {0, 2, 1}), "_first_") == 0);
  const std::string text = text_of({455, 147, 901}, {0, 2, 1});
  for (const char* const first :
       {"_first_x = kernelbatch::held(", "_first_y = kernelbatch::held(",
        "_left_x = ", "_left = ", "_to_x = kernelbatch::held(", "_from_x = kernelbatch::held("}) {
    INFO(first);
    CHECK(count_of(text, first) == 1);
  }
}

TEST_CASE("Threads pass whole rows of several inputs of words") {
  const auto passes_rows = [](DType dtype, bool has_second) {
    const ElementwiseDefinition definition{
        has_second ? "T x, T y" : "T x", "T z", has_second ? "z = x - y" : "z = x", "made", {}};
    const Array x = Array::on_host(dtype, Shape{30088, 6, 235}).transpose();
    const Array z = Array::on_host(dtype, x.shape());
    std::vector<Argument> arguments = {x, z};
    if (has_second)
      arguments.insert(arguments.begin() + 1, Array::on_host(dtype, Shape{1, 6, 30088}));
    CallArguments call = resolve_arguments("made", definition.in, definition.out, arguments);
    const ElementwiseLoop loop = plan_elementwise(definition, std::move(call.types), x.shape(),
                                                  arguments, test::h200_properties());
    return std::get<TiledLoop>(loop.schedule).shape.order.by_rows;
  };
  CHECK(passes_rows(DType::kInt32, true));
  CHECK(!passes_rows(DType::kInt32, false));
  CHECK(!passes_rows(DType::kInt64, true));
}

TEST_CASE("A block has one tile unless its threads pass whole rows or copy ahead") {
  CHECK(count_of(text_of({454, 912, 98}, {0, 2, 1}), "gridDim") == 0);
  CHECK(count_of(text_of({455, 147, 901}, {0, 2, 1}), "gridDim") == 1);
  CHECK(count_of(text_of({100771, 5, 83}, {0, 2, 1}), "gridDim") == 1);
}

TEST_CASE("Six blocks of tiles of 16 bits are on a unit, five if threads pass whole rows") {
  CHECK(count_of(text_of({544, 74338}, {1, 0}), "__launch_bounds__(256, 6)") == 1);
  CHECK(count_of(text_of({455, 147, 901}, {0, 2, 1}), "__launch_bounds__(256, 5)") == 1);
}

TEST_CASE("Five blocks of tiles of one input of words are on a unit") {
  CHECK(count_of(text_of({5, 4409, 6, 33}, {1, 3, 2, 0}, DType::kInt32),
                 "__launch_bounds__(256, 5)") == 1);
}

TEST_CASE("Tiles that end in a pack of two elements are not copied asynchronously") {
  const std::string copy = "kernelbatch::begin_copy";
  CHECK(count_of(text_of({100771, 5, 83}, {0, 2, 1}), copy) > 0);
  CHECK(count_of(text_of({100771, 5, 83}, {0, 2, 1}, DType::kFloat64), copy) == 0);
}

TEST_CASE("Only tiles that are one run of all arrays are copied asynchronously") {
  const std::string copy = "kernelbatch::begin_copy";
  CHECK(count_of(text_of({3, 400001}, {1, 0}), copy) == 0);
  CHECK(count_of(text_of({7817, 247, 21}, {0, 2, 1}), copy) == 0);
}

TEST_CASE("Tiles read every second element of 16 bits in aligned packs") {
  const auto cover_of = [](DType dtype, int step) {
    constexpr int kRows = 400001;
    const ElementwiseDefinition definition{"T x, T y", "T z", "z = x - y", "difference", {}};
    const Array x = Array::on_host(dtype, Shape{kRows, 8 * step}).slice(1, 0, 8, step);
    const Array y = Array::on_host(dtype, Shape{8, kRows}).transpose(std::vector<int>{1, 0});
    const Array z = Array::on_host(dtype, x.shape());
    const std::vector<Argument> arguments = {x, y, z};
    CallArguments call = resolve_arguments("difference", definition.in, definition.out, arguments);
    const ElementwiseLoop loop = plan_elementwise(definition, std::move(call.types), x.shape(),
                                                  arguments, test::h200_properties());
    REQUIRE(loop.is<TiledLoop>());
    return std::get<TiledLoop>(loop.schedule).cover_of(loop, loop.operands.front());
  };
  const auto cover = cover_of(DType::kInt16, 2);
  REQUIRE(cover);
  CHECK(cover->count == 2);
  CHECK(cover->width == 8);
  CHECK(!cover_of(DType::kInt16, 3));
  CHECK(!cover_of(DType::kInt32, 2));
}

TEST_CASE("Packs that span rows read evenly spaced inputs in aligned packs") {
  const auto cover_of = [](DType dtype, int step, int gap) {
    constexpr int kRows = 60001, kColumns = 701;
    const ElementwiseDefinition definition{"T x, T y", "T z", "z = x - y", "difference", {}};
    const Array x =
        Array::on_host(dtype, Shape{kRows, kColumns * step + gap}).slice(1, 0, kColumns, step);
    const Array y = Array::on_host(dtype, Shape{1, kColumns});
    const Array z = Array::on_host(dtype, x.shape());
    const std::vector<Argument> arguments = {x, y, z};
    CallArguments call = resolve_arguments("difference", definition.in, definition.out, arguments);
    const ElementwiseLoop loop = plan_elementwise(definition, std::move(call.types), x.shape(),
                                                  arguments, test::h200_properties());
    const auto& packed = std::get<PackedLoop>(loop.schedule);
    REQUIRE(packed.spans);
    return packed.cover_of(loop, loop.operands.front());
  };
  const auto cover = cover_of(DType::kInt16, 2, 0);
  REQUIRE(cover);
  CHECK(cover->count == 2);
  CHECK(cover->width == 8);
  CHECK(!cover_of(DType::kInt16, 2, 1));
  CHECK(!cover_of(DType::kInt16, 3, 0));
  CHECK(!cover_of(DType::kInt64, 2, 0));
}

}  // namespace
}  // namespace kernelbatch
