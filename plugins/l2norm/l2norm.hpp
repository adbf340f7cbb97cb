// The Euclidean norm of a matrix along an axis, or of all of it: √Σx².
#pragma once

#include "core/plugin/workload.hpp"

namespace l2norm {

/// The matrix is seen as (outer, length, inner), of which the middle axis goes.
struct L2Norm final : kernelbatch::Problem {
  kernelbatch::Array x;  ///< shape (rows, cols)
  std::int64_t outer = 1, length = 1, inner = 1;

  /// Whether sums run along rows that a warp's lanes read in a few loads: no block for each.
  bool has_short_rows() const { return inner == 1 && length <= 256; }

  std::vector<kernelbatch::OutputArray> outputs() const override;
  kernelbatch::Cost cost() const override;
};

void reference(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void elementwise(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void reduction(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void raw(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void fused(const kernelbatch::Problem& problem, kernelbatch::Run& run);

}  // namespace l2norm
