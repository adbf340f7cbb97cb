// y = A·x with A stored by diagonals: y[i] = Σ diagonals[d, i]·x[i + offsets[d]] over the nonzero
// entries. A 0 means that there is no entry: its product with an infinite or NaN x would be NaN.
#pragma once

#include "core/workload/declared_workload.hpp"
#include "core/workload/sparse_product.hpp"

namespace kernelbatch::workloads::diagonal_spmv {

struct DiagonalSpmv final : SparseProduct {
  Array offsets;    ///< int64, (d,), ascending: column − row
  Array diagonals;  ///< (d, rows); 0 if there is no entry

  DiagonalSpmv(const Params& params, Inputs& inputs);
  static WorkloadInfo info();
  static double device_bytes(const Params& params);
  Cost cost() const override;
};

}  // namespace kernelbatch::workloads::diagonal_spmv
