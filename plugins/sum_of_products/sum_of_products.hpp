// The scalar product of each pair of rows: z = Σ x·y along the last axis.
#pragma once

#include "core/plugin/workload.hpp"

namespace sum_of_products {

struct SumOfProducts final : kernelbatch::Problem {
  kernelbatch::Array x, y;  ///< shape (rows, cols)
  double absolute_sum = 0;  ///< largest Σ|x·y| of a row

  std::vector<kernelbatch::OutputArray> outputs() const override;
  kernelbatch::Cost cost() const override;
};

void reference(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void elementwise(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void reduction(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void raw(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void fused(const kernelbatch::Problem& problem, kernelbatch::Run& run);

}  // namespace sum_of_products
