// The scalar product of each pair of rows: z = Σ x·y along the last axis.
#pragma once

#include "core/workload/declared_workload.hpp"

namespace kernelbatch::workloads::sum_of_products {

struct SumOfProducts final : Problem {
  Array x, y;           ///< shape (rows, cols)
  Array absolute_sums;  ///< Σ|x·y| of each row

  SumOfProducts(const Params& params, Inputs& inputs);
  static WorkloadInfo info();
  static double device_bytes(const Params& params);
  std::vector<OutputArray> outputs() const override;
  Cost cost() const override;
};

}  // namespace kernelbatch::workloads::sum_of_products
