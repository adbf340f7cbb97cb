// y = A·x with A in compressed sparse rows.
#pragma once

#include "core/workload/sparse_product.hpp"

namespace kernelbatch::workloads::csr_spmv {

struct CsrSpmv final : SparseProduct {
  Cost cost() const override;
};

Work reference(const CsrSpmv& in, Run& run);
Work elementwise(const CsrSpmv& in, Run& run);
Work reduction(const CsrSpmv& in, Run& run);
Work jit(const CsrSpmv& in, Run& run);
Work raw(const CsrSpmv& in, Run& run);
Work library(const CsrSpmv& in, Run& run);

}  // namespace kernelbatch::workloads::csr_spmv
