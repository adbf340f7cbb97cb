// Kernel text of row-wise expressions: maps, reductions and maps again with a block per row.
#pragma once

#include <string>

#include "core/kernel/fuse/typing.hpp"
#include "core/kernel/launch/layout_argument.hpp"

namespace kernelbatch {

struct RowsShape {
  int block = 1;       ///< threads of a row
  int items = 0;       ///< elements that a thread keeps; 0 = rows are read again in every phase
  int rank = 1;        ///< axes of the loop over rows
  int inner_rank = 1;  ///< axes of the loop along one
  bool is_wide = false;
};

/// Threads and items for rows of a length on a device.
RowsShape shape_rows(std::int64_t length, const DeviceProperties& device);

/// The source; `outer` is the loop over rows, `inner` the one along one of them, `parameter` what
/// the kernel takes. `row_inputs` says
/// of each input whether it has one element per row.
std::string rows_source(const TypedGraph& typed, const RowsShape& shape, const std::string& name,
                        const LayoutArgument& outer, const LayoutArgument& inner,
                        const std::vector<bool>& row_inputs, const StructBytes& parameter);

/// Whether a node has one value per row: a reduction, or what depends on such and on constants
/// alone.
std::vector<bool> row_nodes(const TypedGraph& typed, const std::vector<bool>& row_inputs);

}  // namespace kernelbatch
