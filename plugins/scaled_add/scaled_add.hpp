// out = (a + b)·scale.
#pragma once

#include "core/workload/declared_workload.hpp"

namespace kernelbatch::workloads::scaled_add {

struct ScaledAdd final : Problem {
  Array a, b;        ///< shape (n,)
  double scale = 0;  ///< factor

  ScaledAdd(const Params& params, Inputs& inputs);
  static WorkloadInfo info();
  static double device_bytes(const Params& params);
  std::vector<OutputArray> outputs() const override;
  Cost cost() const override;
};

}  // namespace kernelbatch::workloads::scaled_add
