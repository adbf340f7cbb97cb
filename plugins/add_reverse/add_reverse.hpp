// z[i] = x[i] + y[n − 1 − i].
#pragma once

#include "core/workload/declared_workload.hpp"

namespace kernelbatch::workloads::add_reverse {

struct AddReverse final : Problem {
  Array x, y;  ///< shape (n,)

  AddReverse(const Params& params, Inputs& inputs);
  static WorkloadInfo info();
  static double device_bytes(const Params& params);
  std::vector<OutputArray> outputs() const override;
  Cost cost() const override;
};

}  // namespace kernelbatch::workloads::add_reverse
