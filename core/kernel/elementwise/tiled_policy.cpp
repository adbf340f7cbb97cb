#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "core/kernel/elementwise/policy.hpp"
#include "core/kernel/loop/counts.hpp"
namespace kernelbatch {
namespace {

/// Elements of a tile, and blocks on a unit by the number of a thread's loads in flight. Tuned on
/// an H200.
struct TileTuning {
  std::int64_t elements = 4096, least = 1024;
  std::int64_t single_elements = 2048;  ///< of words, without packs and direct inputs
  int few_loads = 8, many_loads = 24;
  int blocks_of_few = 6, blocks = 4, blocks_of_many = 3;
  int blocks_of_one_input = 5;  ///< of words or wider elements
  int blocks_of_copies = 4;
  int few_checks = 2;  ///< elements of a pack, for which checks cost less than copies
  /// Of 16 bits; one block less if threads pass whole rows.
  int narrow_loads = 20, blocks_of_narrow = 6, blocks_of_many_narrow = 4;
};
constexpr TileTuning kTileTuning;
/// Maximum distance in bytes between neighbours in the outputs: the memory in between is written
/// by other blocks soon after.
constexpr std::int64_t kMostOutputStep = 64;
constexpr std::int64_t kShortAxis = 64;

/// True if no array is read or written in packs.
bool has_single_elements(const TileShape& shape) {
  return shape.order.pack == 1 && std::ranges::none_of(shape.staged, [](const auto& tile) {
           return tile && tile->order.pack > 1;
         });
}

/// True if an input is read in the outputs' order.
bool has_direct(const TileShape& shape, const std::vector<TileArray>& arrays) {
  for (std::size_t k = 0; k < arrays.size(); ++k)
    if (!arrays[k].is_output && !shape.staged[k]) return true;
  return false;
}

/// True if all packs of the outputs are aligned neighbours in an array, too.
bool is_read_in_packs(const LoopPlan& plan, const TileArray& array, const TileShape& shape) {
  const TileOrder& order = shape.order;
  return is_even(array.strides, shape.extents, order) &&
         aligned_pack(plan, array, order, array.item * order.pack) == order.pack;
}

/// True if an array that passes through registers would be read in packs of less than a word.
bool has_narrow_reads(const TileShape& shape, const std::vector<TileArray>& arrays) {
  for (std::size_t k = 0; k < arrays.size(); ++k)
    if (const auto& tile = shape.staged[k];
        tile && tile->order.pack * arrays[k].item < kSmallestWord)
      return true;
  return false;
}

/// True if an array would be read or written in packs of less than a word: instructions take the
/// time, not memory.
bool has_narrow_accesses(const TileShape& shape, const std::vector<TileArray>& arrays) {
  return shape.order.pack * arrays.back().item < kSmallestWord || has_narrow_reads(shape, arrays);
}

/// True for several inputs of words: with places computed only once, threads need fewer registers.
bool has_several_words(const std::vector<TileArray>& arrays) {
  return arrays.size() > 2 && std::ranges::all_of(arrays, [](const TileArray& array) {
           return array.item == kSmallestWord;
         });
}

/// True if the arrays may end within a pack of outputs, which takes checks of each element.
bool ends_in_pack(const LoopPlan& plan, const TileShape& shape) {
  const TileOrder& order = shape.order;
  if (order.run_axes == 0) return false;
  const int last = order.axes[static_cast<std::size_t>(order.run_axes - 1)];
  const std::int64_t inner = order.run / shape.extents[static_cast<std::size_t>(last)];
  return plan.extents[last] * inner % order.pack != 0;
}

/// True if asynchronous copies are faster than loads of single small elements, or than checks of
/// packs: for tiles that are one run of all arrays. Not with inputs that are read by elements.
bool gains_by_copies(const LoopPlan& plan, const std::vector<TileArray>& arrays,
                     const TileShape& shape, bool is_narrow) {
  for (std::size_t k = 0; k < arrays.size(); ++k)
    if (!shape.staged[k] && !arrays[k].is_output &&
        arrays[k].strides[shape.order.axes.front()] != 0 &&
        !is_read_in_packs(plan, arrays[k], shape))
      return false;
  const auto is_run = [](const TileOrder& order) { return order.run == order.count; };
  return is_run(shape.order) &&
         std::ranges::all_of(shape.staged,
                             [&](const auto& tile) { return !tile || is_run(tile->order); }) &&
         (is_narrow || (ends_in_pack(plan, shape) && shape.order.pack > kTileTuning.few_checks));
}

/// True if the words around all elements can be reached: elements are whole, and distances in bytes
/// leave room for a word.
bool has_words(const ElementwiseLoop& loop, const std::vector<TileArray>& arrays) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max() - kLargestWord;
  for (const Operand& operand : loop.operands)
    if (operand.is_looped() && !loop.is_wide && byte_range(operand.array()).high > kMost)
      return false;
  return std::ranges::all_of(
      arrays, [](const TileArray& array) { return array.alignment % array.item == 0; });
}

/// True if all elements are narrower than words, and not several staged inputs are joined to single
/// elements of outputs, which takes more registers.
bool has_narrow_elements(const TiledLoop& tiled, const std::vector<TileArray>& arrays) {
  const auto staged = std::ranges::count_if(tiled.shape.staged, [](auto& t) { return bool(t); });
  return std::ranges::all_of(arrays, [](auto& array) { return array.item < kSmallestWord; }) &&
         (staged < 2 || tiled.shape.order.pack * arrays.back().item >= kSmallestWord);
}

/// Blocks on a unit whose registers hold the loads of all threads.
int blocks_of(const TiledLoop& tiled, const std::vector<TileArray>& arrays) {
  const TileOrder& order = tiled.shape.order;
  int loads = 0;
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    if (arrays[k].is_output) continue;
    const auto& staged = tiled.shape.staged[k];
    if (staged && staged->word > 0) continue;
    const bool is_whole = tiled.is_packed[k] || arrays[k].strides[order.axes.front()] == 0;
    loads += (staged ? staged->order : order).passes() * (staged || is_whole ? 1 : order.pack);
  }
  if (tiled.copies) return kTileTuning.blocks_of_copies;
  if (loads <= kTileTuning.few_loads && has_single_elements(tiled.shape))
    return kTileTuning.blocks_of_few;
  if (has_narrow_elements(tiled, arrays))
    return loads < kTileTuning.narrow_loads ? kTileTuning.blocks_of_narrow - (order.by_rows ? 1 : 0)
                                            : kTileTuning.blocks_of_many_narrow;
  if (loads >= kTileTuning.many_loads) return kTileTuning.blocks_of_many;
  return std::ranges::count(arrays, false, &TileArray::is_output) == 1
             ? kTileTuning.blocks_of_one_input
             : kTileTuning.blocks;
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
  if (shape && has_words(loop, arrays)) {
    limits.copies = true;
    const std::optional<TileShape> copied = choose_tile(loop.plan, arrays, limits);
    limits.copies =
        copied && gains_by_copies(loop.plan, arrays, *copied, has_narrow_reads(*shape, arrays));
    if (limits.copies) shape = copied;
  }
  if (shape && !limits.copies && has_single_elements(*shape) && !has_direct(*shape, arrays) &&
      arrays.back().item >= kSmallestWord && limits.elements > kTileTuning.single_elements) {
    limits.elements = kTileTuning.single_elements;
    shape = choose_tile(loop.plan, arrays, limits);
  }
  if (!shape) return std::nullopt;
  TiledLoop tiled;
  tiled.shape = std::move(*shape);
  if (has_narrow_accesses(tiled.shape, arrays) || (!limits.copies && has_several_words(arrays)))
    tiled.shape.choose_rows();
  tiled.copies = limits.copies;
  for (const TileArray& array : arrays)
    tiled.is_packed.push_back(is_read_in_packs(loop.plan, array, tiled.shape));
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
  for (const Operand& operand : loop.operands) {
    if (!copies || !operand.is_looped() || !shape.staged[static_cast<std::size_t>(operand.slot)])
      continue;
    const ByteRange range = byte_range(operand.array());
    add(fmt::format("low_{}", operand.slot), range.low);
    add(fmt::format("high_{}", operand.slot), range.high);
    const StagedTile& tile = *shape.staged[static_cast<std::size_t>(operand.slot)];
    ByteRange tile_range{-tile.word, tile.word + static_cast<std::int64_t>(size_of(operand.dtype))};
    for (int axis = 0; axis < loop.plan.rank(); ++axis) {
      const std::int64_t span = (shape.extents[static_cast<std::size_t>(axis)] - 1) *
                                loop.plan.strides[static_cast<std::size_t>(operand.slot)][axis];
      (span < 0 ? tile_range.low : tile_range.high) += span;
    }
    add(fmt::format("first_{}", operand.slot), range.low - tile_range.low);
    add(fmt::format("last_{}", operand.slot), range.high - tile_range.high);
  }
  // The last packs around elements that do not reach past the end of an input.
  for (const Operand& operand : loop.operands)
    if (const auto cover = operand.is_looped() ? cover_of(loop, operand) : std::nullopt)
      add(fmt::format("last_{}", operand.slot),
          byte_range(operand.array()).high - (cover->count * cover->width - cover->phase) *
                                                 static_cast<int>(size_of(operand.dtype)));
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
