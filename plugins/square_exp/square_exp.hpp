// y = exp(x²): one kernel or two.
#pragma once

#include "core/workload/declared_workload.hpp"

namespace kernelbatch::workloads::square_exp {

struct SquareExp final : Problem {
  Array x;             ///< shape (n,)
  double largest = 0;  ///< |x|

  SquareExp(const Params& params, Inputs& inputs);
  static WorkloadInfo info();
  static double device_bytes(const Params& params);
  std::vector<OutputArray> outputs() const override;
  Cost cost() const override;
};

}  // namespace kernelbatch::workloads::square_exp
