// Memory layout of the arrays of a row-wise expression.
#pragma once

#include <span>
#include <vector>

#include "core/kernel/fuse/rows_policy.hpp"
#include "core/kernel/launch/argument.hpp"
#include "core/kernel/loop/loop_plan.hpp"

namespace kernelbatch {

/// The loop over rows, and the loop along one.
struct RowsLoops {
  LoopPlan outer, inner;
};

/// Layout properties that determine the text, by array.
struct RowsLayout {
  std::vector<bool> is_dense;  ///< neighbours of a row are neighbours in memory
  /// Its rows follow each other without gaps.
  std::vector<bool> is_stacked;
  std::vector<bool> is_of_rows;  ///< it differs from row to row
  /// Rows are at least a pack apart: the memory next to every row except the first and the last
  /// belongs to the array.
  std::vector<bool> is_apart;
  /// An array that differs from row to row: packs of the others begin where its rows begin.
  int first_of_rows = -1;
};

/// Sets the memory-related members of `problem`. The first `inputs` arguments are read. `is_row`,
/// by array: true if it has one element per row.
RowsLayout describe_layout(RowsProblem& problem, const RowsLoops& loops,
                           std::span<const Argument> arguments, std::size_t inputs,
                           const std::vector<bool>& is_row, const DeviceProperties& device);

}  // namespace kernelbatch
