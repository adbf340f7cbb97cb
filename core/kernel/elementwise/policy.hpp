// ElementwiseLoop: the loop over the arrays of one form of call of an elementwise kernel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/kernel/elementwise/definition.hpp"
#include "core/kernel/elementwise/tile_shape.hpp"
#include "core/kernel/launch/argument_block.hpp"
#include "core/kernel/launch/launch_plan.hpp"
#include "core/kernel/launch/layout_argument.hpp"
#include "core/kernel/launch/operand.hpp"
#include "core/kernel/loop/loop_plan.hpp"

namespace kernelbatch {

struct ElementwiseLoop;

/// Single elements along one axis.
struct DenseLoop {};

/// Single elements over several axes, or if the text uses indices along axes.
struct StridedLoop {};

/// Packs of neighbouring elements, of narrow ones several loaded before the first is used;
/// neighbouring threads have neighbouring packs.
struct PackedLoop {
  /// Threads of a block if their packs are as wide as the widest load and blocks come and go.
  /// Blocks of narrower packs are larger: twice as many would take longer to begin.
  static constexpr int kThreads = 128;

  int pack = 1;             ///< elements per load
  bool is_widest = false;   ///< packs are as wide as the device's widest load
  int in_flight = 1;        ///< packs that a thread loads before it uses the first
  bool is_located = false;  ///< along the last of several axes, or with gaps
  /// True for inputs that have small gaps or begin elsewhere than the outputs: they are read by the
  /// aligned packs that contain their elements, and the ends by elements.
  bool covers = false;
  int lead = 0;  ///< elements before the first pack
  /// True for packs that follow each other across the rows of the last axis, as the outputs do.
  /// Inputs are read around their elements, which begin anywhere; those with the same small gaps
  /// along all axes by aligned packs.
  bool spans = false;
  bool by_elements = false;  ///< the same with short rows or gaps: inputs are read by elements

  /// The aligned packs that contain one pack of an input: number, elements of each, position of the
  /// first element in them, and elements from one to the next.
  struct Cover {
    int count = 0, width = 1, phase = 0, step = 1;
  };
  /// Nothing if the input is read by packs of its own.
  std::optional<Cover> cover_of(const ElementwiseLoop& loop, const Operand& operand) const;
  /// True for an input of packs that span rows whose packs may contain the end of a row, or begin
  /// anywhere.
  bool reads_rows(const ElementwiseLoop& loop, const Operand& operand) const;
  /// Elements at the end that aligned packs would read past, along one axis.
  int margin(const ElementwiseLoop& loop) const;
  static PackedLoop choose(const ElementwiseLoop& loop, const ElementwiseDefinition& definition,
                           const DeviceProperties& device);
};

/// Tiles of several axes through shared memory, for inputs that have longer runs in their own order
/// than in that of the outputs; one block of kThreads per tile.
struct TiledLoop {
  static constexpr int kThreads = kTileThreads;
  static constexpr int kSquare = 16;  ///< maximum side of a square of tiles
  static constexpr int kChecked = 4;  ///< passes at once over a tile in which the arrays end

  /// An axis along which there are several tiles: its number in the loop, and in `tiles` those of
  /// its tiles and of squares of them (-1 if none).
  struct Cut {
    int axis = 0, tile = 0, square = -1;
  };

  TileShape shape = {};
  LoopPlan tiles = {};
  std::vector<Cut> cut_axes = {};
  int square = 1;                    ///< tiles a side
  int blocks = 1;                    ///< on a unit, for which registers suffice
  bool copies = false;               ///< staged inputs arrive by asynchronous copies
  std::vector<bool> is_packed = {};  ///< by slot: whether an array that is not staged has packs

  bool cuts(int axis) const noexcept {
    return std::ranges::any_of(cut_axes, [&](const Cut& cut) { return cut.axis == axis; });
  }
  static std::optional<TiledLoop> choose(const ElementwiseLoop& loop,
                                         const ElementwiseDefinition& definition,
                                         const DeviceProperties& device);
  /// The aligned packs that contain one pack of an input that is not staged and has gaps.
  std::optional<PackedLoop::Cover> cover_of(const ElementwiseLoop& loop,
                                            const Operand& operand) const;
  /// Kernel parameters in addition to the layout of its tiles.
  StructBytes steps(const ElementwiseLoop& loop) const;
};

/// Tiles of a plane through shared memory, for the same inputs. Rows are along the outputs' first
/// axes, columns along their last ones, which are one run of memory. Tiles cut both anywhere.
/// Staged inputs have neighbours along the rows.
struct PlaneLoop {
  static constexpr int kThreads = 256;

  LoopPlan down = {}, across = {};  ///< over rows, and over columns
  LoopPlan tiles = {};              ///< over tiles, with their first rows and columns
  int rows = 32, columns = 32;      ///< of a tile
  int pack = 1;                     ///< neighbours in the outputs that a thread stores at once
  /// Elements of the outputs from one aligned address to the next, if each of a tile's rows begins
  /// at one of its own; 1 if these rows and the arrays' begin at the same elements.
  int unit = 1;
  int blocks = 1;                 ///< on a unit, for which registers suffice
  std::vector<bool> staged = {};  ///< by slot
  std::vector<int> packs = {};    ///< by slot: elements of an access, along the rows if staged

  auto staged_inputs() const { return std::ranges::count(staged, true); }
  int margin() const noexcept { return unit - 1; }
  /// True if a pack can contain the end of a row.
  bool has_ends() const noexcept { return pack > 1 && (unit > 1 || across.count % pack != 0); }
  /// Columns that enter shared memory.
  int width() const noexcept { return columns + margin(); }
  int lanes() const noexcept { return columns / pack; }
  int rows_of_pass() const noexcept { return kThreads / lanes(); }
  int passes() const noexcept { return rows / rows_of_pass(); }
  /// Extents of a tile, and blocks, by the loads of a thread.
  void choose_extents(const std::vector<TileArray>& arrays);

  static std::optional<PlaneLoop> choose(const ElementwiseLoop& loop,
                                         const ElementwiseDefinition& definition,
                                         const DeviceProperties& device);
};

/// Pieces of rows of the last of several axes, for one thread a block.
struct RowsLoop {
  int piece = 0;  ///< elements of a row that one thread processes

  static std::optional<RowsLoop> choose(const ElementwiseLoop& loop,
                                        const DeviceProperties& device);
};

/// The loop over the elements. Each alternative documents when it is chosen; `source` writes its
/// text.
using LoopSchedule =
    std::variant<DenseLoop, StridedLoop, PackedLoop, TiledLoop, PlaneLoop, RowsLoop>;

struct ElementwiseLoop {
  ResolvedTypes types;
  std::vector<Operand> operands;  ///< inputs, then outputs
  LoopPlan plan;                  ///< of the arrays that are not raw, by slot
  bool keeps_axes = false;        ///< the text uses indices along axes
  bool is_dense = false;          ///< one axis, along which every array is dense or constant
  bool is_wide = false;
  LoopSchedule schedule;

  template <class Schedule>
  bool is() const noexcept {
    return std::holds_alternative<Schedule>(schedule);
  }
  std::size_t arrays() const noexcept { return plan.strides.size(); }
  /// Byte stride of an array along the last axis.
  std::int64_t step(const Operand& operand) const noexcept {
    const Strides& strides = plan.strides[static_cast<std::size_t>(operand.slot)];
    return strides[strides.count() - 1];
  }
  /// True if an array has stride 0 along the last axis.
  bool is_constant(const Operand& operand) const noexcept { return step(operand) == 0; }
  /// True if neighbours along the last axis are neighbours in memory.
  bool is_packed(const Operand& operand) const noexcept {
    return step(operand) == static_cast<std::int64_t>(size_of(operand.dtype));
  }
  bool has_layout() const noexcept;
  LayoutArgument layout() const noexcept;
  const char* index_type() const noexcept { return is_wide ? "long long" : "int"; }
  /// Grid and block of the loop.
  LaunchShape launch_shape(const ElementwiseDefinition& definition,
                           const DeviceProperties& device) const;
  /// Adds the kernel's parameters to a plan of the launch.
  void add_parameters(LaunchPlan& launch) const;
};

/// The looped arrays, by slot.
std::vector<TileArray> tile_arrays(const ElementwiseLoop& loop);

/// `arguments` are all inputs and outputs of a resolved call that loops over `shape`. Throws
/// SpecError for an output that repeats elements.
ElementwiseLoop plan_elementwise(const ElementwiseDefinition& definition, ResolvedTypes types,
                                 const Shape& shape, std::span<const Argument> arguments,
                                 const DeviceProperties& device);

}  // namespace kernelbatch
