// The extents of a tile, by what it costs to move one.
#pragma once

#include <cstdint>
#include <vector>

#include "core/kernel/elementwise/tile_order.hpp"

namespace kernelbatch {

struct TileBounds {
  std::int64_t most;             ///< elements of a tile
  std::int64_t most_of_one_run;  ///< of one that is a single run of each array
  std::int64_t out_bytes;        ///< of the outputs' widest packs
  bool copies;                   ///< staged inputs arrive by asynchronous copies
};

/// Extents of the cheapest tile. The outputs come last in `arrays`; `staged` are inputs in shared
/// memory.
std::vector<int> tile_extents(const LoopPlan& plan, const std::vector<TileArray>& arrays,
                              const std::vector<std::size_t>& staged, const TileBounds& bounds);

}  // namespace kernelbatch
