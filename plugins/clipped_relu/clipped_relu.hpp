// y = min(max(x, 0), cap); NaN stays NaN, as with NumPy's minimum and maximum.
#pragma once

#include "core/workload/declared_workload.hpp"

namespace kernelbatch::workloads::clipped_relu {

struct ClippedRelu final : Problem {
  Array x;         ///< shape (n,)
  double cap = 0;  ///< upper limit

  ClippedRelu(const Params& params, Inputs& inputs);
  static WorkloadInfo info();
  static double device_bytes(const Params& params);
  std::vector<OutputArray> outputs() const override;
  Cost cost() const override;
};

}  // namespace kernelbatch::workloads::clipped_relu
