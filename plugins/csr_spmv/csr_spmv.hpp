// y = A·x with A in compressed sparse rows.
#pragma once

#include "core/plugin/sparse_product.hpp"

namespace csr_spmv {

struct CsrSpmv final : kernelbatch::SparseProduct {
  kernelbatch::Cost cost() const override;
};

void reference(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void elementwise(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void reduction(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void raw(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void library(const kernelbatch::Problem& problem, kernelbatch::Run& run);

}  // namespace csr_spmv
