// TileOrder: the order of one array's elements in a tile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/kernel/loop/loop_plan.hpp"

namespace kernelbatch {

/// Threads of a block that processes a tile.
constexpr int kTileThreads = 256;

/// The order in which a block's threads pass a tile's elements: that of one array in memory.
struct TileOrder {
  std::vector<int> axes = {};  ///< of the loop, with several elements in the tile; fastest first
  int run_axes = 0;            ///< the first of them, whose elements are evenly spaced in memory
  int run = 1;                 ///< elements along these
  int pack = 1;                ///< elements of a run that one thread has
  int shift = 0;               ///< most elements of a run's first pack that precede the run
  int lanes = 1;               ///< packs of a run, with those of idle threads
  int count = 1;               ///< elements of a tile
  /// Passes are over whole runs, the rows of a tile: a thread has the same pack of all of its rows.
  bool by_rows = false;

  int packs() const noexcept { return count / run * lanes; }
  int rows() const noexcept { return count / run; }
  int rows_of_pass() const noexcept { return kTileThreads / lanes; }
  int passes() const noexcept {
    return by_rows ? (rows() + rows_of_pass() - 1) / rows_of_pass()
                   : (packs() + kTileThreads - 1) / kTileThreads;
  }
  /// True if a run has idle threads.
  bool has_idle() const noexcept { return (lanes - 1) * pack >= run + shift; }
  /// Chooses the threads of a run: a power of two if few of them are idle, because it is divided
  /// by.
  void choose_lanes();
  /// Lets passes be over whole rows if there are several, and a pass suffices for one.
  void choose_rows() noexcept {
    by_rows = static_cast<std::size_t>(run_axes) < axes.size() && lanes <= kTileThreads;
  }
};

/// Properties of an array that decide the choice.
struct TileArray {
  Strides strides = {};
  std::int64_t item = 1;       ///< bytes of an element
  std::int64_t alignment = 1;  ///< of its first element, in bytes
  bool is_output = false;
};

/// Axes along which an array has a step, from the smallest.
std::vector<int> axes_by_step(const LoopPlan& plan, const Strides& strides);

/// Smallest distance of neighbours in an array, in bytes.
std::int64_t least_step(const LoopPlan& plan, const TileArray& array);

/// The order of an array with `strides` in a tile of extents `tile`, in packs of one element.
TileOrder order_of(const LoopPlan& plan, const Strides& strides, const std::vector<int>& tile);

/// Bytes of asynchronous copies.
constexpr int kSmallestWord = 4, kLargestWord = 16;

/// The order in which an input's words of `word` bytes are copied.
TileOrder copied_order(const LoopPlan& plan, const TileArray& array,
                       const std::vector<int>& extents, int word);

/// True if every run of an array begins at a multiple of `bytes`.
bool starts_words(const LoopPlan& plan, const TileArray& array, const TileOrder& order,
                  std::int64_t bytes);

/// The largest pack of an array's elements in `order` for which every access is aligned.
int aligned_pack(const LoopPlan& plan, const TileArray& array, const TileOrder& order,
                 std::int64_t vector_bytes);

/// True if an array's elements are evenly spaced along all of a run.
bool is_even(const Strides& strides, const std::vector<int>& extents, const TileOrder& order);

}  // namespace kernelbatch
