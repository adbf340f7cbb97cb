// y = A·x with A in compressed sparse rows.
#pragma once

#include "core/plugin/workload.hpp"

namespace csr_spmv {

struct CsrSpmv final : kernelbatch::Problem {
  kernelbatch::CsrMatrix matrix;  ///< data of float32 or float64
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

}  // namespace csr_spmv
