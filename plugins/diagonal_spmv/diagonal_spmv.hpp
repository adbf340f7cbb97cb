// y = A·x with A stored by diagonals: y[i] = Σ diagonals[d, i]·x[i + offsets[d]].
#pragma once

#include "core/plugin/workload.hpp"

namespace diagonal_spmv {

struct DiagonalSpmv final : kernelbatch::Problem {
  kernelbatch::CsrMatrix matrix;  ///< the same matrix, for the reference and libraries
  kernelbatch::Array offsets;     ///< int64, (d,), ascending: column − row
  kernelbatch::Array diagonals;   ///< (d, rows); 0 where the diagonal leaves the matrix
  kernelbatch::Array x;           ///< shape (columns,)
  std::int64_t longest_row = 0;   ///< entries
  double absolute_sum = 0;        ///< at least the largest Σ|a·x| of a row

  /// Fills in what the matrix and x say of their sums.
  void find_bounds();
  std::vector<kernelbatch::OutputArray> outputs() const override;
  kernelbatch::Cost cost() const override;
};

void reference(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void elementwise(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void reduction(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void raw(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void library(const kernelbatch::Problem& problem, kernelbatch::Run& run);

}  // namespace diagonal_spmv
