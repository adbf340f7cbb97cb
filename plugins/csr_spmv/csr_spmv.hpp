// y = A·x with A in compressed sparse rows.
#pragma once

#include "core/workload/declared_workload.hpp"
#include "core/workload/sparse_product.hpp"

namespace kernelbatch::workloads::csr_spmv {

struct CsrSpmv final : SparseProduct {
  CsrSpmv(const Params& params, Inputs& inputs);
  static WorkloadInfo info();
  static double device_bytes(const Params& params);
  Cost cost() const override;
};

}  // namespace kernelbatch::workloads::csr_spmv
