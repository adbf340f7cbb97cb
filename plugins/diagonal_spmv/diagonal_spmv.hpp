// y = A·x with A stored by diagonals: y[i] = Σ diagonals[d, i]·x[i + offsets[d]] over the entries
// that are not 0. A 0 stands for no entry, whose product with an infinite or NaN x would be NaN.
#pragma once

#include "core/workload/sparse_product.hpp"

namespace kernelbatch::workloads::diagonal_spmv {

struct DiagonalSpmv final : SparseProduct {
  Array offsets;    ///< int64, (d,), ascending: column − row
  Array diagonals;  ///< (d, rows); 0 where there is no entry

  Cost cost() const override;
};

Work reference(const DiagonalSpmv& in, Run& run);
Work elementwise(const DiagonalSpmv& in, Run& run);
Work reduction(const DiagonalSpmv& in, Run& run);
Work jit(const DiagonalSpmv& in, Run& run);
Work raw(const DiagonalSpmv& in, Run& run);
Work library(const DiagonalSpmv& in, Run& run);

}  // namespace kernelbatch::workloads::diagonal_spmv
