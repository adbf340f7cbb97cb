// Mean squared error of two vectors: mean((y_pred - y_true)^2).
#pragma once

#include "core/workload/declared_workload.hpp"

namespace kernelbatch::workloads::mse {

struct Mse final : Problem {
  Array y_true, y_pred;  ///< shape (n,), float32 or float64

  Mse(const Params& params, Inputs& inputs);
  static WorkloadInfo info();
  static double device_bytes(const Params& params);
  std::vector<OutputArray> outputs() const override;
  Cost cost() const override;
};

}  // namespace kernelbatch::workloads::mse
