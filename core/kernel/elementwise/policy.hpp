// ElementwiseLoop: the loop over the arrays of one form of call of an elementwise kernel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/kernel/elementwise/definition.hpp"
#include "core/kernel/launch/argument_block.hpp"
#include "core/kernel/launch/launch_plan.hpp"
#include "core/kernel/launch/layout_argument.hpp"
#include "core/kernel/launch/operand.hpp"
#include "core/kernel/loop/loop_plan.hpp"

namespace kernelbatch {

/// One element after the other, one axis; packs of neighbours, several in flight; element after
/// element over several axes; tiles through shared memory, for arrays whose fastest axis differs
/// from the others'; pieces of rows, for a device that has one thread a block.
enum class LoopKind : std::uint8_t { kDense, kPacked, kStrided, kTiled, kRows };

struct ElementwiseLoop {
  /// Tiles of so many by so many elements, by a block of kTile * kTileRows threads.
  static constexpr int kTile = 32, kTileRows = 8;
  static constexpr int kTileSquare = 16;  ///< tiles a side of the squares that blocks go by

  ResolvedTypes types;
  std::vector<Operand> operands;  ///< inputs, then outputs
  LoopPlan plan;                  ///< of the arrays that are not raw, by slot
  LoopKind kind = LoopKind::kDense;
  int pack = 1;             ///< elements per load
  int in_flight = 1;        ///< packs that a thread loads before it uses the first
  bool is_located = false;  ///< packs along the last of several axes, or with gaps
  bool is_wide = false;
  int piece = 0;  ///< of a loop over rows: elements of a row that one thread processes
  // Of a tiled loop: the tiles, the axis across, and which slots are dense along that.
  LoopPlan tiles;
  int across = 0, tile_square = 1;
  std::vector<bool> lies_across;

  std::size_t arrays() const noexcept { return plan.strides.size(); }
  /// Bytes from an array's element to the next along the last axis.
  std::int64_t step(const Operand& operand) const noexcept {
    const Strides& strides = plan.strides[static_cast<std::size_t>(operand.slot)];
    return strides[strides.count() - 1];
  }
  /// Whether an array has stride 0 along the last axis.
  bool is_constant(const Operand& operand) const noexcept { return step(operand) == 0; }
  /// Whether neighbours along the last axis are neighbours in memory.
  bool is_packed(const Operand& operand) const noexcept {
    return step(operand) == static_cast<std::int64_t>(size_of(operand.dtype));
  }
  bool has_layout() const noexcept {
    return kind == LoopKind::kStrided || kind == LoopKind::kTiled || kind == LoopKind::kRows ||
           is_located;
  }
  const char* index_type() const noexcept { return is_wide ? "long long" : "int"; }
  LayoutArgument layout() const noexcept {
    return {kind == LoopKind::kTiled ? tiles : plan, is_wide};
  }
  /// Where the blocks and threads go.
  LaunchShape launch_shape(const ElementwiseDefinition& definition,
                           const DeviceProperties& device) const;
  /// Adds the kernel's parameters to a plan of the launch.
  void add_parameters(LaunchPlan& launch) const;
  /// Of a tiled loop: what its kernel gets beside the layout of its tiles.
  StructBytes tile_steps() const;
};

/// `arguments` are all inputs and outputs of a resolved call that loops over `shape`. Throws
/// SpecError for an output that repeats elements.
ElementwiseLoop plan_elementwise(const ElementwiseDefinition& definition, ResolvedTypes types,
                                 const Shape& shape, std::span<const Argument> arguments,
                                 const DeviceProperties& device);

}  // namespace kernelbatch
