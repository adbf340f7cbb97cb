// TileShape: the part of several arrays that one block moves through shared memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/kernel/loop/loop_plan.hpp"

namespace kernelbatch {

/// The order in which a block's threads pass a tile's elements: that of one array in memory.
struct TileOrder {
  std::vector<int> axes = {};  ///< of the loop, with several elements in the tile; fastest first
  int run_axes = 0;            ///< the first of them, whose elements are evenly spaced in memory
  int run = 1;                 ///< elements along these
  int pack = 1;                ///< elements of a run that one thread has
  int count = 1;               ///< elements of a tile

  int packs() const noexcept { return count / pack; }
};

/// An input's elements in shared memory.
struct StagedTile {
  TileOrder order = {};
  std::vector<int> steps = {};  ///< distance in elements, by axis of the loop
  int size = 0;                 ///< elements with padding
  int stored = 1, loaded = 1;   ///< elements per access to shared memory
};

struct TileShape {
  std::vector<int> extents = {};                       ///< elements by axis of the loop
  TileOrder order = {};                                ///< that of the outputs
  std::vector<std::optional<StagedTile>> staged = {};  ///< by slot
};

/// Properties of an array that decide the choice.
struct TileArray {
  Strides strides = {};
  std::int64_t item = 1;       ///< bytes of an element
  std::int64_t alignment = 1;  ///< of its first element, in bytes
  bool is_output = false;
};

struct TileLimits {
  int threads = 256;
  std::int64_t elements = 4096;        ///< of a tile
  std::int64_t tile_bytes = 16 << 10;  ///< of the largest array in a tile
  std::int64_t shared = 40 << 10;      ///< bytes of all staged inputs
  std::int64_t vector_bytes = 16;      ///< of the widest load
};

/// The tile over axes of `plan` with long runs of memory in outputs, which come last, and in staged
/// inputs: those that have short ones in the order of the outputs. Nothing without such inputs.
std::optional<TileShape> choose_tile(const LoopPlan& plan, const std::vector<TileArray>& arrays,
                                     const TileLimits& limits);

/// The largest pack of an array's elements in `order` for which every access is aligned.
int aligned_pack(const LoopPlan& plan, const TileArray& array, const TileOrder& order,
                 std::int64_t vector_bytes);

/// True if an array's elements are evenly spaced along all of a run.
bool is_even(const Strides& strides, const std::vector<int>& extents, const TileOrder& order);

}  // namespace kernelbatch
