#include "core/kernel/elementwise/policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/kernel/loop/counts.hpp"

namespace kernelbatch {
namespace {

/// Elements of a row that one thread processes: few if an array is transposed, so that the cache
/// lines loaded for one row are still in the cache for the next. Tuned on a Xeon with 48 KiB of L1
/// per core.
struct RowPieceTuning {
  int transposed_piece = 32, piece = 1 << 13;
};
constexpr RowPieceTuning kRowPieceTuning;

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
  if (takes_several(loop, definition, device)) {
    if (auto plane = PlaneLoop::choose(loop, definition, device)) return std::move(*plane);
    if (auto tiled = TiledLoop::choose(loop, definition, device)) return std::move(*tiled);
    return PackedLoop::choose(loop, definition, device);
  }
  if (loop.is_dense) return DenseLoop{};
  return StridedLoop{};
}

}  // namespace

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
  const auto* const plane = std::get_if<PlaneLoop>(&schedule);
  const auto* const tiled = std::get_if<TiledLoop>(&schedule);
  return {plane != nullptr ? plane->down : tiled != nullptr ? tiled->tiles : plan, is_wide};
}

LaunchShape ElementwiseLoop::launch_shape(const ElementwiseDefinition& definition,
                                          const DeviceProperties& device) const {
  LaunchShape shape;
  if (const auto* tiled = std::get_if<TiledLoop>(&schedule)) {
    shape.block.x = TiledLoop::kThreads;
    const std::int64_t most =
        tiled->copies ? std::int64_t{device.compute_units} * tiled->blocks : kMostBlocks;
    shape.grid.x = static_cast<std::uint32_t>(std::min(tiled->tiles.count, most));
    return shape;
  }
  if (const auto* plane = std::get_if<PlaneLoop>(&schedule)) {
    shape.block.x = PlaneLoop::kThreads;
    shape.grid.x = static_cast<std::uint32_t>(plane->tiles.count);
    return shape;
  }
  const auto* const packed = std::get_if<PackedLoop>(&schedule);
  const PackedLoop each = packed != nullptr ? *packed : PackedLoop{};
  const std::int64_t units = ceil_divide(ceil_divide(plan.count, each.pack), each.in_flight);
  // A text with per-thread preparation needs few threads; otherwise short-lived blocks keep the
  // memory busier than persistent ones.
  const bool stays = !device.is_simt() || !definition.options.loop_prep.empty() ||
                     !definition.options.after_loop.empty();
  const int usual = each.is_widest && !stays ? PackedLoop::kThreads : device.loop_block;
  const int block = definition.options.block_size.value_or(usual);
  const std::int64_t per_block = std::max(block, device.loop_grain);
  shape.block.x = static_cast<std::uint32_t>(device.is_simt() ? block : 1);
  shape.grid.x = static_cast<std::uint32_t>(std::clamp<std::int64_t>(
      ceil_divide(units, per_block), 1, stays ? device.loop_blocks : kMostBlocks));
  return shape;
}

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
  if (const auto* plane = std::get_if<PlaneLoop>(&schedule)) {
    launch.add_parameter(LayoutArgument(plane->across, is_wide).bytes());
    launch.add_parameter(LayoutArgument(plane->tiles, is_wide).bytes());
  }
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
