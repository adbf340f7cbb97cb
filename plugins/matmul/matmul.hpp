// C = A·B of dense matrices.
#pragma once

#include "core/plugin/workload.hpp"

namespace matmul {

struct Matmul final : kernelbatch::Problem {
  kernelbatch::Array a;     ///< shape (m, k)
  kernelbatch::Array b;     ///< shape (k, n)
  double absolute_sum = 0;  ///< at least the largest Σ|a·b| of an element

  std::int64_t m() const { return a.shape()[0]; }
  std::int64_t n() const { return b.shape()[1]; }
  std::int64_t k() const { return a.shape()[1]; }
  std::vector<kernelbatch::OutputArray> outputs() const override;
  kernelbatch::Cost cost() const override;
};

void reference(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void elementwise(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void reduction(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void raw(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void library(const kernelbatch::Problem& problem, kernelbatch::Run& run);

}  // namespace matmul
