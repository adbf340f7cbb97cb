// TileShape: the part of several arrays that one block moves through shared memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/kernel/elementwise/tile_order.hpp"

namespace kernelbatch {

/// An input's elements in shared memory.
struct StagedTile {
  TileOrder order = {};
  std::vector<int> steps = {};  ///< distance in elements, by axis of the loop
  int size = 0;                 ///< elements with padding
  int stored = 1, loaded = 1;   ///< elements per access to shared memory
  /// Bytes of an asynchronous copy, which are the packs of `order`; 0: through registers.
  int word = 0;
  /// Distance in elements in memory modulo a pack, by axis of the loop: where a run begins in a
  /// word. Empty if all runs begin with a word.
  std::vector<int> phases = {};
};

struct TileShape {
  std::vector<int> extents = {};                       ///< elements by axis of the loop
  TileOrder order = {};                                ///< that of the outputs
  std::vector<std::optional<StagedTile>> staged = {};  ///< by slot

  /// Lets all passes be over whole rows if possible.
  void choose_rows();
};

struct TileLimits {
  int threads = 256;
  std::int64_t elements = 4096;        ///< of a tile
  std::int64_t tile_bytes = 16 << 10;  ///< of the largest array in a tile
  std::int64_t shared = 45 << 10;      ///< bytes of all staged inputs
  std::int64_t vector_bytes = 16;      ///< of the widest load
  bool copies = false;                 ///< staged inputs are copied asynchronously
};

/// Copies of staged inputs in shared memory: one tile is read while the next arrives.
constexpr int kCopiedTiles = 2;

/// Inputs with longer runs in their own order than in that of the outputs, which come last; the
/// largest first.
std::vector<std::size_t> inputs_to_stage(const LoopPlan& plan,
                                         const std::vector<TileArray>& arrays);

/// The tile over axes of `plan` with long runs of memory in outputs, which come last, and in staged
/// inputs: those that have short ones in the order of the outputs. Nothing without such inputs.
std::optional<TileShape> choose_tile(const LoopPlan& plan, const std::vector<TileArray>& arrays,
                                     const TileLimits& limits);

}  // namespace kernelbatch
