// How the arrays of a row-wise expression lie in memory.
#pragma once

#include <span>
#include <vector>

#include "core/kernel/fuse/rows_policy.hpp"
#include "core/kernel/launch/argument.hpp"
#include "core/kernel/loop/loop_plan.hpp"

namespace kernelbatch {

/// Over rows, and along one.
struct RowsLoops {
  LoopPlan outer, inner;
};

/// What of it the text depends on, by array.
struct RowsLayout {
  std::vector<bool> is_dense;  ///< neighbours of a row are neighbours in memory
  /// Its rows follow each other without gaps.
  std::vector<bool> is_stacked;
  std::vector<bool> is_of_rows;  ///< it differs from row to row
  /// Row follows row in memory, a pack away at least: what lies beside all rows but the first and
  /// the last belongs to the array.
  std::vector<bool> is_apart;
  /// An array that differs from row to row: where its rows begin, packs of the others do, too.
  int first_of_rows = -1;
};

/// Fills in what `problem` says of memory. `is_row`, by array: whether it has one element per row.
RowsLayout describe_layout(RowsProblem& problem, const RowsLoops& loops,
                           std::span<const Argument> arguments, const std::vector<bool>& is_row,
                           const DeviceProperties& device);

}  // namespace kernelbatch
