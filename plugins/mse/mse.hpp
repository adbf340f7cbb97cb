// Mean squared error of two vectors: mean((y_pred - y_true)^2).
#pragma once

#include "core/workload/workload.hpp"

namespace kernelbatch::workloads::mse {

struct Mse final : Problem {
  Array y_true, y_pred;  ///< shape (n,), float32 or float64

  std::vector<OutputArray> outputs() const override;
  Cost cost() const override;
};

Work reference(const Mse& in, Run& run);
Work elementwise(const Mse& in, Run& run);
Work reduction(const Mse& in, Run& run);
Work jit(const Mse& in, Run& run);
Work raw(const Mse& in, Run& run);
Work fused(const Mse& in, Run& run);
Work unfused(const Mse& in, Run& run);

}  // namespace kernelbatch::workloads::mse
