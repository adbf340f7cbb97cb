// The place of a staged input in shared memory, by its accesses' conflicts for banks.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/kernel/elementwise/tile_shape.hpp"

namespace kernelbatch {

/// Cost of a pack in issue slots. On an H100.
constexpr int kPackCost = 12;

/// Maximum number of elements with padding.
constexpr std::int64_t padded(std::int64_t elements) { return elements * 9 / 8; }

struct Placed {
  StagedTile tile = {};
  double cost = std::numeric_limits<double>::infinity();  ///< issue slots of 32 elements
};

/// The cheapest place of an input in shared memory, written in its order `own` and read in `out`.
Placed place_tile(const std::vector<int>& extents, const TileOrder& own, int most_pack,
                  const TileOrder& out, int item);

/// The same for an input whose runs are copied in the packs of `own`.
Placed place_words(const std::vector<int>& extents, const TileOrder& own, const TileOrder& out,
                   int item);

}  // namespace kernelbatch
