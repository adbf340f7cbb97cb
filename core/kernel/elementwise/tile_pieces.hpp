// The text of one array's way through the tiles of an elementwise kernel.
#pragma once

#include "core/kernel/elementwise/pieces.hpp"

namespace kernelbatch {

/// Adds the pieces of one operand of a TiledLoop.
void add_tiled(ElementwisePieces& to, const TiledLoop& tiled, const ElementwiseLoop& loop,
               const Operand& operand, bool is_loaded);

}  // namespace kernelbatch
