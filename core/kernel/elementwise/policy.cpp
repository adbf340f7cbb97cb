#include "core/kernel/elementwise/policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/kernel/loop/counts.hpp"

namespace kernelbatch {
namespace {

/// Packs of each input that a thread loads before it uses the first. Tuned on an H200 with maps of
/// 1e8 elements.
struct PackedTuning {
  /// With function calls: their computation hides the latency of loads, so a few elements whose
  /// computations overlap suffice.
  int elements_of_functions = 8, most_of_functions = 4;
  /// Registers are few: the more arrays, the fewer packs of each. For one array two packs are
  /// fastest.
  int of_one_input = 2, of_two_inputs = 4, of_four_inputs = 2, of_more = 1;
  int least_waves = 2;  ///< of resident threads; with fewer elements one pack each
};
constexpr PackedTuning kPackedTuning;

/// Shared memory of a block's tiles: several blocks fit on a unit. On an H200.
constexpr std::int64_t kTileBytes = 40 << 10;
/// Maximum distance in bytes between neighbours of a tile in the outputs: the memory in between is
/// written by other blocks soon after.
constexpr std::int64_t kMostTileStep = 64;

/// Elements of a row that one thread processes: few if an array is transposed, so that the cache
/// lines loaded for one row are still in the cache for the next. Tuned on a Xeon with 48 KiB of L1
/// per core.
struct RowPieceTuning {
  int transposed_piece = 32, piece = 1 << 13;
};
constexpr RowPieceTuning kRowPieceTuning;

/// Elements along the last axis per load, for every array that is dense there; 1 if an array has
/// gaps or is not aligned.
int pack_of(const ElementwiseLoop& loop, const DeviceProperties& device) {
  std::size_t largest = 1;
  for (const Operand& operand : loop.operands)
    if (operand.is_looped()) largest = std::max(largest, size_of(operand.dtype));
  int pack = std::max(1, device.vector_bytes / static_cast<int>(largest));
  const int last = loop.plan.rank() - 1;
  const auto fits = [&](std::int64_t value) { return value % pack == 0; };
  // With one axis a remainder is possible; with several, every run along the last axis must consist
  // of whole packs.
  while (last > 0 && !fits(loop.plan.extents[last])) pack /= 2;
  for (const Operand& operand : loop.operands) {
    if (!operand.is_looped() || loop.is_constant(operand)) continue;
    if (!loop.is_packed(operand)) return 1;
    const auto bytes = static_cast<std::int64_t>(size_of(operand.dtype));
    const auto begin = reinterpret_cast<std::int64_t>(operand.array().data());
    const auto is_aligned = [&](std::int64_t offset) { return offset % (bytes * pack) == 0; };
    const Strides& strides = loop.plan.strides[static_cast<std::size_t>(operand.slot)];
    while (pack > 1 && !is_aligned(begin)) pack /= 2;
    for (int axis = 0; axis < last; ++axis)
      while (pack > 1 && !is_aligned(strides[axis])) pack /= 2;
  }
  return pack;
}

int packs_in_flight(const ElementwiseDefinition& definition, const ElementwiseLoop& loop,
                    int pack) {
  if (definition.calls_functions)
    return std::clamp(kPackedTuning.elements_of_functions / pack, 1,
                      kPackedTuning.most_of_functions);
  const auto is_gappy = [&](const Operand& operand) {
    return operand.is_looped() && !loop.is_constant(operand) && !loop.is_packed(operand);
  };
  // Scattered loads fill the queues of a unit without packs.
  if (std::count_if(loop.operands.begin(), loop.operands.end(), is_gappy) > 1) return 1;
  const auto inputs = std::count_if(
      loop.operands.begin(), loop.operands.end(),
      [](const Operand& operand) { return operand.is_looped() && !operand.is_output; });
  return inputs == 1   ? kPackedTuning.of_one_input
         : inputs <= 2 ? kPackedTuning.of_two_inputs
         : inputs <= 4 ? kPackedTuning.of_four_inputs
                       : kPackedTuning.of_more;
}

int piece_of(const ElementwiseLoop& loop) {
  for (const Operand& operand : loop.operands) {
    if (!operand.is_looped() || loop.is_constant(operand) || loop.is_packed(operand)) continue;
    const Strides& strides = loop.plan.strides[static_cast<std::size_t>(operand.slot)];
    for (int axis = 0; axis + 1 < loop.plan.rank(); ++axis)
      if (strides[axis] != 0 && std::abs(strides[axis]) < std::abs(loop.step(operand)))
        return kRowPieceTuning.transposed_piece;
  }
  return kRowPieceTuning.piece;
}

std::int64_t stride_of(const ElementwiseLoop& loop, const Operand& operand, int axis) {
  return std::abs(loop.plan.strides[static_cast<std::size_t>(operand.slot)][axis]);
}

/// True if an input's elements are neighbours along `axis` but not along the axis of the outputs.
bool lies_along(const ElementwiseLoop& loop, const Operand& operand, int axis, int along) {
  const auto item = static_cast<std::int64_t>(size_of(operand.dtype));
  return !operand.is_output && operand.is_looped() && stride_of(loop, operand, axis) == item &&
         stride_of(loop, operand, along) > item;
}

/// The last axis that is long enough for tiles, if the extent of the axes after it in the outputs
/// is small; -1 if none.
int axis_along(const ElementwiseLoop& loop) {
  int along = loop.plan.rank() - 1;
  while (along > 0 && loop.plan.extents[along] < TiledLoop::kSmallTile / 2) --along;
  for (const Operand& operand : loop.operands)
    if (operand.is_looped() && operand.is_output && stride_of(loop, operand, along) > kMostTileStep)
      return -1;
  return loop.plan.extents[along] < TiledLoop::kSmallTile / 2 ? -1 : along;
}

/// The axis along which inputs with most bytes are dense while `along` is not; -1 if none.
int axis_across(const ElementwiseLoop& loop, int along) {
  int across = -1;
  std::int64_t most = 0;
  for (int axis = 0; axis < loop.plan.rank(); ++axis) {
    if (axis == along || loop.plan.extents[axis] < TiledLoop::kSmallTile / 2) continue;
    std::int64_t bytes = 0;
    for (const Operand& operand : loop.operands)
      if (lies_along(loop, operand, axis, along))
        bytes += static_cast<std::int64_t>(size_of(operand.dtype));
    if (bytes > most) most = bytes, across = axis;
  }
  return across;
}

/// The loop over tiles of `along` and the axis across. Squares of tiles are its fastest axes except
/// for short ones: blocks that run at the same time process squares of tiles, so that each array's
/// memory is read in longer pieces than a tile's rows.
LoopPlan plan_tiles(const ElementwiseLoop& loop, const TiledLoop& tiled) {
  LoopPlan tiles;
  tiles.strides.resize(loop.arrays());
  const auto add_axis = [&](int axis, std::int64_t extent, std::int64_t width) {
    tiles.extents.push_back(extent);
    tiles.count *= extent;
    for (std::size_t k = 0; k < loop.arrays(); ++k)
      tiles.strides[k].push_back(loop.plan.strides[k][axis] * width);
  };
  for (int axis = 0; axis < tiled.along; ++axis)
    if (axis != tiled.across) add_axis(axis, loop.plan.extents[axis], 1);
  const std::int64_t side = std::int64_t{tiled.square} * tiled.tile;
  for (const int axis : {tiled.across, tiled.along})
    add_axis(axis, ceil_divide(loop.plan.extents[axis], side), side);
  for (const int axis : {tiled.across, tiled.along}) add_axis(axis, tiled.square, tiled.tile);
  for (int axis = tiled.along + 1; axis < loop.plan.rank(); ++axis)
    if (axis != tiled.across) add_axis(axis, loop.plan.extents[axis], 1);
  tiles.shape = tiles.extents;
  return tiles;
}

/// True if a thread may process several elements at once. Not if a store may be skipped, which
/// concerns only one of them, nor on a device whose compiler vectorizes. Not if the text contains
/// loops either: their reads for neighbouring elements are coalesced across threads, but with packs
/// a thread would read with gaps.
bool takes_several(const ElementwiseLoop& loop, const ElementwiseDefinition& definition,
                   const DeviceProperties& device) {
  return !loop.keeps_axes && device.vector_bytes > 0 && loop.arrays() > 0 && !definition.leaves &&
         !definition.has_loops;
}

/// The first suitable schedule.
LoopSchedule choose_schedule(const ElementwiseLoop& loop, const ElementwiseDefinition& definition,
                             const DeviceProperties& device) {
  if (auto rows = RowsLoop::choose(loop, device)) return *rows;
  if (auto tiled = TiledLoop::choose(loop, definition, device)) return std::move(*tiled);
  if (auto packed = PackedLoop::choose(loop, definition, device)) return *packed;
  if (loop.is_dense) return DenseLoop{};
  return StridedLoop{};
}

}  // namespace

std::optional<PackedLoop> PackedLoop::choose(const ElementwiseLoop& loop,
                                             const ElementwiseDefinition& definition,
                                             const DeviceProperties& device) {
  if (!takes_several(loop, definition, device)) return std::nullopt;
  PackedLoop packed{.pack = pack_of(loop, device), .is_located = !loop.is_dense};
  const std::int64_t threads = std::int64_t{device.loop_blocks} * device.loop_block;
  // Few enough elements for one thread each: function calls take longer than the loads.
  if (definition.calls_functions && loop.plan.count <= threads) packed.pack = 1;
  if (loop.plan.count / packed.pack > kPackedTuning.least_waves * threads)
    packed.in_flight = packs_in_flight(definition, loop, packed.pack);
  return packed;
}

namespace {

/// Neighbours per load or store of every array that is dense along its axis of the tile; tiles
/// consist of whole packs either way.
int pack_of_tile(const ElementwiseLoop& loop, const TiledLoop& tiled,
                 const DeviceProperties& device) {
  std::int64_t largest = 1;
  for (const Operand& operand : loop.operands)
    if (operand.is_looped())
      largest = std::max(largest, static_cast<std::int64_t>(size_of(operand.dtype)));
  // Each thread has at least one.
  std::int64_t pack = std::clamp<std::int64_t>(device.vector_bytes / largest, 1,
                                               tiled.tile * tiled.tile / TiledLoop::kThreads);
  for (const int axis : {tiled.along, tiled.across})
    while (loop.plan.extents[axis] % pack != 0) pack /= 2;
  for (const Operand& operand : loop.operands) {
    if (!operand.is_looped()) continue;
    const auto slot = static_cast<std::size_t>(operand.slot);
    const int axis = tiled.lies_across[slot] ? tiled.across : tiled.along;
    const auto item = static_cast<std::int64_t>(size_of(operand.dtype));
    if (loop.plan.strides[slot][axis] != item) continue;
    const auto fits = [&](std::int64_t offset) { return offset % (item * pack) == 0; };
    while (pack > 1 && !fits(reinterpret_cast<std::int64_t>(operand.array().data()))) pack /= 2;
    for (int other = 0; other < loop.plan.rank(); ++other)
      while (pack > 1 && other != axis && !fits(loop.plan.strides[slot][other])) pack /= 2;
  }
  return static_cast<int>(pack);
}

}  // namespace

int TiledLoop::short_axes(const ElementwiseLoop& loop) const noexcept {
  return loop.plan.rank() - 1 - along - (across > along ? 1 : 0);
}

std::optional<TiledLoop> TiledLoop::choose(const ElementwiseLoop& loop,
                                           const ElementwiseDefinition& definition,
                                           const DeviceProperties& device) {
  if (!takes_several(loop, definition, device) || definition.sees_order ||
      definition.options.block_size || loop.plan.rank() < 2 || device.loop_block < kThreads)
    return std::nullopt;
  TiledLoop tiled{.along = axis_along(loop)};
  if (tiled.along < 0) return std::nullopt;
  tiled.across = axis_across(loop, tiled.along);
  if (tiled.across < 0) return std::nullopt;
  // Pieces of at least 128 bytes; 256 for elements of four bytes.
  const bool is_small = std::ranges::all_of(loop.operands, [](const Operand& operand) {
    return !operand.is_looped() || size_of(operand.dtype) <= 4;
  });
  const auto extent = [&](int axis) { return loop.plan.extents[axis]; };
  if (is_small && std::min(extent(tiled.along), extent(tiled.across)) >= kLargeTile)
    tiled.tile = kLargeTile;
  tiled.lies_across.assign(loop.arrays(), false);
  std::int64_t room = kTileBytes;
  for (const Operand& operand : loop.operands) {
    const std::int64_t bytes =
        tiled.tile * (tiled.tile + 1) * static_cast<std::int64_t>(size_of(operand.dtype));
    if (!lies_along(loop, operand, tiled.across, tiled.along) || bytes > room) continue;
    tiled.lies_across[static_cast<std::size_t>(operand.slot)] = true;
    room -= bytes;
  }
  tiled.pack = pack_of_tile(loop, tiled, device);
  tiled.square = kSquare;
  for (const int axis : {tiled.across, tiled.along})
    while (tiled.square > 1 && extent(axis) < std::int64_t{2} * tiled.square * tiled.tile)
      tiled.square /= 2;
  tiled.tiles = plan_tiles(loop, tiled);
  return tiled;
}

std::optional<RowsLoop> RowsLoop::choose(const ElementwiseLoop& loop,
                                         const DeviceProperties& device) {
  if (device.is_simt() || loop.keeps_axes || loop.is_dense || loop.arrays() == 0)
    return std::nullopt;
  return RowsLoop{piece_of(loop)};
}

bool ElementwiseLoop::has_layout() const noexcept {
  const auto* const packed = std::get_if<PackedLoop>(&schedule);
  return packed != nullptr ? packed->is_located : !is<DenseLoop>();
}

LayoutArgument ElementwiseLoop::layout() const noexcept {
  const auto* const tiled = std::get_if<TiledLoop>(&schedule);
  return {tiled != nullptr ? tiled->tiles : plan, is_wide};
}

StructBytes TiledLoop::steps(const ElementwiseLoop& loop) const {
  StructBytes bytes;
  const auto add = [&](const char* name, std::int64_t value) {
    loop.is_wide ? bytes.append_value("long long", name, value)
                 : bytes.append_value("int", name, static_cast<std::int32_t>(value));
  };
  const auto add_steps = [&](const char* name, int axis) {
    std::vector<std::int64_t> wide;
    for (const Strides& strides : loop.plan.strides) wide.push_back(strides[axis]);
    loop.is_wide
        ? bytes.append_list("long long", name, wide)
        : bytes.append_list("int", name, std::vector<std::int32_t>(wide.begin(), wide.end()));
  };
  add("tiles", tiles.count);
  add("extent_x", loop.plan.extents[along]);
  add("extent_y", loop.plan.extents[across]);
  add_steps("step_x", along);
  add_steps("step_y", across);
  return bytes;
}

LaunchShape ElementwiseLoop::launch_shape(const ElementwiseDefinition& definition,
                                          const DeviceProperties& device) const {
  LaunchShape shape;
  if (const auto* tiled = std::get_if<TiledLoop>(&schedule)) {
    shape.block.x = TiledLoop::kThreads;
    shape.grid.x =
        static_cast<std::uint32_t>(std::min<std::int64_t>(tiled->tiles.count, kMostBlocks));
    return shape;
  }
  const auto* const packed = std::get_if<PackedLoop>(&schedule);
  const PackedLoop each = packed != nullptr ? *packed : PackedLoop{};
  const int block = definition.options.block_size.value_or(device.loop_block);
  const std::int64_t units = ceil_divide(ceil_divide(plan.count, each.pack), each.in_flight);
  const std::int64_t per_block = std::max(block, device.loop_grain);
  // A text with per-thread preparation needs few threads; otherwise short-lived blocks keep the
  // memory busier than persistent ones.
  const bool stays = !device.is_simt() || !definition.options.loop_prep.empty() ||
                     !definition.options.after_loop.empty();
  shape.block.x = static_cast<std::uint32_t>(device.is_simt() ? block : 1);
  shape.grid.x = static_cast<std::uint32_t>(std::clamp<std::int64_t>(
      ceil_divide(units, per_block), 1, stays ? device.loop_blocks : kMostBlocks));
  return shape;
}

void ElementwiseLoop::add_parameters(LaunchPlan& launch) const {
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const Operand& operand = operands[k];
    constexpr std::byte kLater[16] = {};
    std::size_t offset = 0;
    if (operand.is_scalar()) {
      offset = launch.add_parameter(kLater, size_of(operand.dtype));
    } else if (operand.parameter->is_raw) {
      const std::vector<std::int64_t> words = view_words(operand.array());
      offset = launch.add_parameter(words.data(), words.size() * sizeof(std::int64_t));
    } else {
      offset = launch.add_parameter(kLater, sizeof(void*));
    }
    launch.patch(k, offset, operand.dtype, operand.name());
  }
  launch.add_parameter(&plan.count, sizeof plan.count);
  if (!has_layout()) return;
  launch.add_parameter(layout().bytes());
  if (const auto* tiled = std::get_if<TiledLoop>(&schedule))
    launch.add_parameter(tiled->steps(*this));
}

ElementwiseLoop plan_elementwise(const ElementwiseDefinition& definition, ResolvedTypes types,
                                 const Shape& shape, std::span<const Argument> arguments,
                                 const DeviceProperties& device) {
  ElementwiseLoop loop;
  loop.operands = operands_of(definition.in, definition.out, types, arguments);
  loop.types = std::move(types);
  std::vector<Array> looped;
  for (Operand& operand : loop.operands) {
    if (!operand.is_looped()) continue;
    operand.slot = static_cast<int>(looped.size());
    looped.push_back(operand.array());
    if (operand.is_output) require_own_elements(operand.array(), operand.name());
  }
  loop.keeps_axes = definition.needs_axes || !definition.options.reduce_dims;
  loop.plan =
      plan_loop(looped, shape, !loop.keeps_axes, !loop.keeps_axes && !definition.sees_order);
  loop.is_wide = loop.plan.is_wide();
  loop.is_dense = !loop.keeps_axes && loop.plan.is_dense(looped);
  loop.schedule = choose_schedule(loop, definition, device);
  return loop;
}

}  // namespace kernelbatch
