// y = A·x with A stored by diagonals: y[i] = Σ diagonals[d, i]·x[i + offsets[d]].
#pragma once

#include "core/plugin/sparse_product.hpp"

namespace diagonal_spmv {

struct DiagonalSpmv final : kernelbatch::SparseProduct {
  kernelbatch::Array offsets;    ///< int64, (d,), ascending: column − row
  kernelbatch::Array diagonals;  ///< (d, rows); 0 where the diagonal leaves the matrix

  kernelbatch::Cost cost() const override;
};

void reference(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void elementwise(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void reduction(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void raw(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void library(const kernelbatch::Problem& problem, kernelbatch::Run& run);

}  // namespace diagonal_spmv
