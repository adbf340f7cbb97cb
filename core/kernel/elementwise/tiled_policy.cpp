#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/kernel/elementwise/policy.hpp"
#include "core/kernel/loop/counts.hpp"

namespace kernelbatch {
namespace {

/// Elements of a tile, and blocks on a unit by the number of a thread's loads in flight. Tuned on
/// an H200.
struct TileTuning {
  std::int64_t elements = 4096, least = 1024;
  std::int64_t single_elements = 2048;  ///< without packs
  int few_loads = 8, many_loads = 24;
  int blocks_of_few = 6, blocks = 4, blocks_of_many = 3;
};
constexpr TileTuning kTileTuning;
/// Maximum distance in bytes between neighbours in the outputs: the memory in between is written
/// by other blocks soon after.
constexpr std::int64_t kMostOutputStep = 64;
constexpr std::int64_t kShortAxis = 64;

std::vector<TileArray> tile_arrays(const ElementwiseLoop& loop) {
  std::vector<TileArray> arrays;
  for (const Operand& operand : loop.operands) {
    if (!operand.is_looped()) continue;
    const auto begin = static_cast<std::uint64_t>(
        reinterpret_cast<std::uintptr_t>(operand.array().data()));  // lowest set bit
    arrays.push_back({.strides = loop.plan.strides[static_cast<std::size_t>(operand.slot)],
                      .item = static_cast<std::int64_t>(size_of(operand.dtype)),
                      .alignment = static_cast<std::int64_t>(begin & (~begin + 1)),
                      .is_output = operand.is_output});
    if (begin == 0) arrays.back().alignment = 256;
  }
  return arrays;
}

/// True if no array is read or written in packs.
bool has_single_elements(const TileShape& shape) {
  return shape.order.pack == 1 && std::ranges::none_of(shape.staged, [](const auto& tile) {
           return tile && tile->order.pack > 1;
         });
}

/// Blocks on a unit whose registers hold the loads of all threads.
int blocks_of(const TiledLoop& tiled, const std::vector<TileArray>& arrays) {
  const TileOrder& order = tiled.shape.order;
  int loads = 0;
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    if (arrays[k].is_output) continue;
    const auto& staged = tiled.shape.staged[k];
    const bool is_whole = tiled.is_packed[k] || arrays[k].strides[order.axes.front()] == 0;
    loads +=
        TiledLoop::passes(staged ? staged->order : order) * (staged || is_whole ? 1 : order.pack);
  }
  if (loads <= kTileTuning.few_loads && has_single_elements(tiled.shape))
    return kTileTuning.blocks_of_few;
  return loads < kTileTuning.many_loads ? kTileTuning.blocks : kTileTuning.blocks_of_many;
}

/// Smallest distance of neighbours in an array.
std::int64_t least_step(const LoopPlan& plan, const TileArray& array) {
  std::int64_t least = 0;
  for (int axis = 0; axis < plan.rank(); ++axis)
    if (const std::int64_t step = std::abs(array.strides[axis]); step > 0)
      least = least == 0 ? step : std::min(least, step);
  return least;
}

/// The loop over tiles. Squares of tiles are its fastest axes except for short ones: blocks that
/// run at the same time process squares of tiles, so that each array's memory is read in longer
/// pieces than a tile's runs.
class TilePlan {
 public:
  TilePlan(const LoopPlan& plan, TiledLoop& tiled) : plan_(plan), tiled_(tiled) {
    tiled_.tiles.strides.resize(plan.strides.size());
    const std::vector<int>& axes = tiled.shape.order.axes;
    // The cut of the outputs' run is the last.
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis)
      if (width(*axis) < plan.extents[*axis]) tiled.cut_axes.push_back({.axis = *axis});
    add_whole_axes(false);
    add_cut_axes();
    add_whole_axes(true);
    if (tiled.tiles.rank() == 0) add(0, 1, 1);
    tiled.tiles.shape = tiled.tiles.extents;
  }

 private:
  int width(int axis) const { return tiled_.shape.extents[static_cast<std::size_t>(axis)]; }
  int add(int axis, std::int64_t extent, std::int64_t width) {
    LoopPlan& tiles = tiled_.tiles;
    tiles.extents.push_back(extent);
    tiles.count *= extent;
    for (std::size_t k = 0; k < plan_.strides.size(); ++k)
      tiles.strides[k].push_back(plan_.strides[k][axis] * width);
    return tiles.rank() - 1;
  }
  void add_whole_axes(bool is_short) {
    for (int axis = 0; axis < plan_.rank(); ++axis)
      if (width(axis) == 1 && (plan_.extents[axis] <= kShortAxis) == is_short)
        add(axis, plan_.extents[axis], 1);
  }
  /// The last two cut axes have squares.
  void add_cut_axes() {
    const std::size_t count = tiled_.cut_axes.size();
    const std::size_t others = count > 2 ? count - 2 : 0;
    int& square = tiled_.square;
    square = count > 1 ? TiledLoop::kSquare : 1;
    for (std::size_t k = others; k < count; ++k) {
      const int axis = tiled_.cut_axes[k].axis;
      while (square > 1 && plan_.extents[axis] < std::int64_t{2} * square * width(axis))
        square /= 2;
    }
    for (std::size_t k = 0; k < count; ++k) {
      TiledLoop::Cut& cut = tiled_.cut_axes[k];
      const bool has_squares = k >= others && square > 1;
      const int side = width(cut.axis) * (has_squares ? square : 1);
      (has_squares ? cut.square : cut.tile) =
          add(cut.axis, ceil_divide(plan_.extents[cut.axis], side), side);
    }
    for (TiledLoop::Cut& cut : tiled_.cut_axes)
      if (cut.square >= 0) cut.tile = add(cut.axis, square, width(cut.axis));
  }

  const LoopPlan& plan_;
  TiledLoop& tiled_;
};

}  // namespace

std::optional<TiledLoop> TiledLoop::choose(const ElementwiseLoop& loop,
                                           const ElementwiseDefinition& definition,
                                           const DeviceProperties& device) {
  if (definition.sees_order || definition.options.block_size || loop.plan.rank() < 2 ||
      loop.plan.count == 0 || device.loop_block < kThreads)
    return std::nullopt;
  const std::vector<TileArray> arrays = tile_arrays(loop);
  if (arrays.empty() || !arrays.back().is_output) return std::nullopt;
  for (const TileArray& array : arrays)
    if (array.is_output && least_step(loop.plan, array) > kMostOutputStep) return std::nullopt;
  TileLimits limits{
      .threads = kThreads, .elements = kTileTuning.elements, .vector_bytes = device.vector_bytes};
  // Small arrays keep every unit busy by smaller tiles.
  const std::int64_t threads = std::int64_t{device.loop_blocks} * device.loop_block;
  while (limits.elements > kTileTuning.least &&
         loop.plan.count / limits.elements * kThreads < threads / 2)
    limits.elements /= 2;
  std::optional<TileShape> shape = choose_tile(loop.plan, arrays, limits);
  if (shape && has_single_elements(*shape) && limits.elements > kTileTuning.single_elements) {
    limits.elements = kTileTuning.single_elements;
    shape = choose_tile(loop.plan, arrays, limits);
  }
  if (!shape) return std::nullopt;
  TiledLoop tiled;
  tiled.shape = std::move(*shape);
  const TileOrder& order = tiled.shape.order;
  for (const TileArray& array : arrays)
    tiled.is_packed.push_back(is_even(array.strides, tiled.shape.extents, order) &&
                              aligned_pack(loop.plan, array, order, array.item * order.pack) ==
                                  order.pack);
  tiled.blocks = blocks_of(tiled, arrays);
  TilePlan(loop.plan, tiled);
  return tiled;
}

StructBytes TiledLoop::steps(const ElementwiseLoop& loop) const {
  StructBytes bytes;
  const auto add = [&](const std::string& name, std::int64_t value) {
    loop.is_wide ? bytes.append_value("long long", name, value)
                 : bytes.append_value("int", name, static_cast<std::int32_t>(value));
  };
  add("tiles", tiles.count);
  for (const Cut& cut : cut_axes)
    add(fmt::format("extent_{}", cut.axis), loop.plan.extents[cut.axis]);
  for (const int axis : shape.order.axes) {
    std::vector<std::int64_t> wide;
    for (const Strides& strides : loop.plan.strides) wide.push_back(strides[axis]);
    const std::string name = fmt::format("step_{}", axis);
    loop.is_wide
        ? bytes.append_list("long long", name, wide)
        : bytes.append_list("int", name, std::vector<std::int32_t>(wide.begin(), wide.end()));
  }
  return bytes;
}

}  // namespace kernelbatch
