// The scalar product of each pair of rows: z = Σ x·y along the last axis.
#pragma once

#include "core/workload/workload.hpp"

namespace kernelbatch::workloads::sum_of_products {

struct SumOfProducts final : Problem {
  Array x, y;           ///< shape (rows, cols)
  Array absolute_sums;  ///< Σ|x·y| of each row

  std::vector<OutputArray> outputs() const override;
  Cost cost() const override;
};

Work reference(const SumOfProducts& in, Run& run);
Work elementwise(const SumOfProducts& in, Run& run);
Work reduction(const SumOfProducts& in, Run& run);
Work jit(const SumOfProducts& in, Run& run);
Work raw(const SumOfProducts& in, Run& run);
Work fused(const SumOfProducts& in, Run& run);

}  // namespace kernelbatch::workloads::sum_of_products
