// y = sin(x)·exp(−x²).
#pragma once

#include "core/workload/declared_workload.hpp"

namespace kernelbatch::workloads::sin_exp {

struct SinExp final : Problem {
  Array x;             ///< shape (n,)
  double largest = 0;  ///< |x|

  SinExp(const Params& params, Inputs& inputs);
  static WorkloadInfo info();
  static double device_bytes(const Params& params);
  std::vector<OutputArray> outputs() const override;
  Cost cost() const override;
};

}  // namespace kernelbatch::workloads::sin_exp
