// y = A·x with A stored by diagonals: y[i] = Σ diagonals[d, i]·x[i + offsets[d]] over the nonzero
// entries. A 0 means that there is no entry: its product with an infinite or NaN x would be NaN.
#pragma once

#include "core/workload/sparse_product.hpp"

namespace kernelbatch::workloads::diagonal_spmv {

struct DiagonalSpmv final : SparseProduct {
  Array offsets;    ///< int64, (d,), ascending: column − row
  Array diagonals;  ///< (d, rows); 0 if there is no entry

  Cost cost() const override;
};

Work reference(const DiagonalSpmv& in, Run& run);
Work elementwise(const DiagonalSpmv& in, Run& run);
Work reduction(const DiagonalSpmv& in, Run& run);
Work jit(const DiagonalSpmv& in, Run& run);
Work raw(const DiagonalSpmv& in, Run& run);
Work library(const DiagonalSpmv& in, Run& run);

}  // namespace kernelbatch::workloads::diagonal_spmv
