// The pieces of a kernel with tiles of a plane.
#pragma once

#include <map>
#include <string>

#include "core/kernel/elementwise/pieces.hpp"

namespace kernelbatch {

/// True if an array's places along a loop are evenly spaced.
bool has_even_steps(const LoopPlan& plan, std::size_t slot);

/// The template's values that depend on the schedule only. `_r` and `_c` are a thread's row and
/// column in its pass `_u`, counted in the tile, `_row` and `_column` the same in the whole plane.
std::map<std::string, std::string> plane_values(const PlaneLoop& plane,
                                                const ElementwiseLoop& loop);

void add_plane(ElementwisePieces& to, const PlaneLoop& plane, const ElementwiseLoop& loop,
               const Operand& operand, bool is_loaded);

}  // namespace kernelbatch
