// Tiles of permuted arrays: lengths of runs, and elements in shared memory.
#include "core/kernel/elementwise/tile_shape.hpp"

#include <algorithm>
#include <set>

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

/// A contiguous output of `shape`, and an input whose axis k is axis order[k] in memory.
struct Permuted {
  LoopPlan plan;
  std::vector<TileArray> arrays;

  Permuted(const Shape& shape, const std::vector<int>& order, std::int64_t item) {
    const auto axes = static_cast<std::size_t>(shape.count());
    std::vector<std::int64_t> stored(axes), steps(axes);
    for (std::size_t k = 0; k < axes; ++k)
      stored[static_cast<std::size_t>(order[k])] = shape[static_cast<int>(k)];
    std::int64_t in_step = item, out_step = item;
    for (std::size_t k = axes; k-- > 0;) steps[k] = in_step, in_step *= stored[k];
    Strides in, out;
    for (std::size_t k = 0; k < axes; ++k) in.push_back(steps[static_cast<std::size_t>(order[k])]);
    for (std::size_t k = 0; k < axes; ++k) out.push_back(0);
    for (int k = shape.count() - 1; k >= 0; --k) out[k] = out_step, out_step *= shape[k];
    plan.shape = plan.extents = shape;
    plan.strides = {in, out};
    merge_axes(plan.extents, plan.strides);
    for (int k = 0; k < 2; ++k)
      arrays.push_back({.strides = plan.strides[static_cast<std::size_t>(k)],
                        .item = item,
                        .alignment = 256,
                        .is_output = k == 1});
  }
};

/// Places in shared memory of all elements of a tile.
std::set<int> places_of(const TileShape& shape, const StagedTile& tile) {
  std::set<int> places;
  for (int at = 0; at < tile.order.count; ++at) {
    int place = 0, rest = at;
    for (const int axis : tile.order.axes) {
      const auto k = static_cast<std::size_t>(axis);
      place += rest % shape.extents[k] * tile.steps[k];
      rest /= shape.extents[k];
    }
    places.insert(place);
  }
  return places;
}

TEST_CASE("Tiles have long runs in inputs and outputs") {
  struct Case {
    Shape shape;
    std::vector<int> order;
    std::int64_t item;
  };
  for (const Case& each :
       {Case{{283, 36610, 4}, {2, 0, 1}, 2}, Case{{1057, 1820, 21}, {2, 1, 0}, 2},
        Case{{413, 15, 3196, 2}, {3, 1, 2, 0}, 4}, Case{{64, 224, 224, 3}, {0, 2, 3, 1}, 2},
        Case{{64, 3, 224, 224}, {0, 3, 1, 2}, 2}, Case{{12000, 12000}, {1, 0}, 4},
        Case{{2108, 4609, 4}, {2, 1, 0}, 8}, Case{{9, 11, 7, 13, 17}, {4, 2, 0, 3, 1}, 4}}) {
    INFO(to_text(each.shape));
    const Permuted made(each.shape, each.order, each.item);
    const auto shape = choose_tile(made.plan, made.arrays, {});
    REQUIRE(shape);
    REQUIRE(shape->staged[0]);
    const StagedTile& tile = *shape->staged[0];
    CHECK(shape->order.run * each.item >= 64);
    CHECK(tile.order.run * each.item >= 64);
    CHECK(std::max(shape->order.run, tile.order.run) * each.item >= 128);
    CHECK(shape->order.count == tile.order.count);
    CHECK(shape->order.count * each.item <= 16 << 10);
    CHECK(static_cast<int>(places_of(*shape, tile).size()) == tile.order.count);
    CHECK(*places_of(*shape, tile).rbegin() < tile.size);
  }
}

TEST_CASE("Written runs that share sectors with other tiles are longer") {
  const auto runs_of = [](const Shape& shape) {
    const Permuted made(shape, {1, 0}, 2);
    const auto tile = choose_tile(made.plan, made.arrays, {});
    return std::vector<int>{tile->order.run, tile->staged[0]->order.run};
  };
  CHECK(runs_of({6404, 6246}) == std::vector<int>{128, 32});
  CHECK(runs_of({6400, 6144}) == std::vector<int>{64, 64});
}

TEST_CASE("Written runs that share sectors are not longer next to an input of the same order") {
  const auto runs_of = [](bool is_repeated) {
    Permuted made({6404, 6246}, {1, 0}, 2);
    TileArray direct = made.arrays.back();
    direct.is_output = false;
    if (is_repeated) direct.strides[0] = 0;
    made.plan.strides.insert(made.plan.strides.begin() + 1, direct.strides);
    made.arrays.insert(made.arrays.begin() + 1, direct);
    const auto tile = choose_tile(made.plan, made.arrays, {});
    return std::vector<int>{tile->order.run, tile->staged[0]->order.run};
  };
  CHECK(runs_of(false) == std::vector<int>{64, 64});
  CHECK(runs_of(true) == std::vector<int>{128, 32});
}

TEST_CASE("A tile that is one run of all arrays may be twice as large") {
  const auto tile_of = [](const Shape& shape) {
    const Permuted made(shape, {0, 2, 1, 3}, 2);
    return choose_tile(made.plan, made.arrays, {});
  };
  const auto shape = tile_of({4792, 45, 30, 6});
  REQUIRE(shape);
  CHECK(shape->order.run == 45 * 30 * 6);
  CHECK(shape->staged[0]->order.run == 45 * 30 * 6);
  const auto larger = tile_of({4792, 45, 31, 6});
  REQUIRE(larger);
  CHECK(larger->order.count <= TileLimits{}.elements);
}

TEST_CASE("Runs of single elements of an input are powers of two") {
  const Permuted made({6695797, 6}, {1, 0}, 2);
  const auto shape = choose_tile(made.plan, made.arrays, {});
  REQUIRE(shape);
  CHECK(shape->extents == std::vector<int>{512, 6});
  const Permuted blocks({500155, 10, 8}, {2, 1, 0}, 2);
  CHECK(choose_tile(blocks.plan, blocks.arrays, {})->extents == std::vector<int>{32, 10, 8});
}

TEST_CASE("Packs of inputs are not wider than packs of 8 bytes of the outputs") {
  const Permuted made({10057432, 4}, {1, 0}, 2);
  const auto shape = choose_tile(made.plan, made.arrays, {});
  REQUIRE(shape);
  CHECK(shape->order.pack == 4);
  CHECK(shape->staged[0]->order.pack == 4);
}

TEST_CASE("Packs that cross axes unevenly are words if an input has the outputs' order") {
  const auto pack_of = [](const Shape& shape, bool has_direct) {
    Permuted made(shape, {1, 0}, 2);
    if (has_direct) {
      made.plan.strides.push_back(made.plan.strides.back());
      made.arrays.insert(made.arrays.begin() + 1, made.arrays.back());
      made.arrays[1].is_output = false;
    }
    return choose_tile(made.plan, made.arrays, {})->order.pack;
  };
  CHECK(pack_of({13323978, 3}, false) == 8);
  CHECK(pack_of({13323978, 3}, true) == 2);
  CHECK(pack_of({13323978, 4}, true) > 2);
}

TEST_CASE("Inputs of 8 bytes that neighbouring threads read along the next axis are not staged") {
  const auto is_staged = [](const Shape& shape, const std::vector<int>& order, std::int64_t item) {
    const Permuted made(shape, order, item);
    return choose_tile(made.plan, made.arrays, {}).has_value();
  };
  CHECK(!is_staged({400001, 2}, {1, 0}, 8));
  CHECK(!is_staged({48, 16, 23073, 2}, {1, 0, 3, 2}, 8));
  CHECK(is_staged({400001, 2}, {1, 0}, 4));
  CHECK(is_staged({400001, 3}, {1, 0}, 8));
  CHECK(is_staged({40001, 20}, {1, 0}, 8));
  CHECK(is_staged({40001, 4, 5}, {2, 1, 0}, 8));
}

TEST_CASE("A tile may repeat a single element of a staged input") {
  LoopPlan plan;
  plan.shape = plan.extents = {101, 21, 8, 261};
  plan.strides = {{8, 808, 16968, 135744},
                  {1296, 16, -392688, 0},
                  {0, 16704, 2088, 8},
                  {1064448, 50688, -2112, 8}};
  std::vector<TileArray> arrays;
  for (std::size_t k = 0; k < 4; ++k)
    arrays.push_back({.strides = plan.strides[k],
                      .item = k == 1 ? 16 : 8,
                      .alignment = 256,
                      .is_output = k == 3});
  for (const bool copies : {false, true}) {
    const auto tile = choose_tile(plan, arrays, {.copies = copies});
    REQUIRE(tile);
    CHECK(tile->order.count <= 4096);
  }
}

TEST_CASE("Inputs in the order of the outputs are not staged") {
  CHECK(!choose_tile(Permuted({4, 5, 300}, {0, 1, 2}, 4).plan,
                     Permuted({4, 5, 300}, {0, 1, 2}, 4).arrays, {}));
  const Permuted rows({40, 50, 300}, {1, 0, 2}, 4);
  CHECK(!choose_tile(rows.plan, rows.arrays, {}));
}

}  // namespace
}  // namespace kernelbatch
