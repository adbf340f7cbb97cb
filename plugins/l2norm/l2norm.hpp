// The Euclidean norm of a matrix along an axis, or of all of it: √Σx².
#pragma once

#include "core/workload/declared_workload.hpp"

namespace kernelbatch::workloads::l2norm {

/// The matrix is viewed as (outer, length, inner); the middle axis is reduced.
struct L2Norm final : Problem {
  Array x;  ///< shape (rows, cols)
  std::int64_t outer = 1, length = 1, inner = 1;

  /// True if sums run along rows that a warp's lanes read in a few loads: too short for a block
  /// each.
  bool has_short_rows() const { return inner == 1 && length <= 256; }

  L2Norm(const Params& params, Inputs& inputs);
  static WorkloadInfo info();
  static double device_bytes(const Params& params);
  std::vector<OutputArray> outputs() const override;
  Cost cost() const override;
};

}  // namespace kernelbatch::workloads::l2norm
