// The extents of a tile, by what it costs to move one.
#pragma once

#include <cstdint>
#include <vector>

#include "core/kernel/elementwise/tile_order.hpp"

namespace kernelbatch {

/// Extents of the cheapest tile of at most `most` elements. The outputs come last in `arrays`, and
/// are written in packs of at most `out_bytes`; `staged` are inputs in shared memory, which arrive
/// by asynchronous copies if `copies`.
std::vector<int> tile_extents(const LoopPlan& plan, const std::vector<TileArray>& arrays,
                              const std::vector<std::size_t>& staged, std::int64_t most,
                              std::int64_t out_bytes, bool copies);

}  // namespace kernelbatch
