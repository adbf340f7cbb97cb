// C = A·B of dense matrices.
#pragma once

#include "core/workload/workload.hpp"

namespace kernelbatch::workloads::matmul {

struct Matmul final : Problem {
  Array a;                  ///< shape (m, k)
  Array b;                  ///< shape (k, n)
  double absolute_sum = 0;  ///< at least the largest Σ|a·b| of an element

  std::int64_t m() const { return a.shape()[0]; }
  std::int64_t n() const { return b.shape()[1]; }
  std::int64_t k() const { return a.shape()[1]; }
  std::vector<OutputArray> outputs() const override;
  Cost cost() const override;
};

Work reference(const Matmul& in, Run& run);
Work elementwise(const Matmul& in, Run& run);
Work reduction(const Matmul& in, Run& run);
Work jit(const Matmul& in, Run& run);
Work raw(const Matmul& in, Run& run);
Work library(const Matmul& in, Run& run);

}  // namespace kernelbatch::workloads::matmul
