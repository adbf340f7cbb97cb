// Kernel text of row-wise expressions: maps, reductions and maps again in one kernel.
#pragma once

#include <string>
#include <vector>

#include "core/kernel/fuse/rows_layout.hpp"
#include "core/kernel/fuse/typing.hpp"
#include "core/kernel/launch/layout_argument.hpp"

namespace kernelbatch {

/// Inputs of the text's generation.
struct RowsText {
  const TypedGraph& typed;
  RowsSchedule schedule;
  const LayoutArgument& outer;   ///< the loop over rows
  const LayoutArgument& inner;   ///< the loop along one of them
  const StructBytes& parameter;  ///< the kernel's parameter
  std::vector<bool> is_row;      ///< by input: whether it has one element per row
  RowsLayout layout;
  bool is_wide = false;
};

std::string rows_source(const RowsText& text, const std::string& name);

}  // namespace kernelbatch
