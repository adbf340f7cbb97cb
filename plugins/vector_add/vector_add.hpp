// c = a + b.
#pragma once

#include "core/workload/declared_workload.hpp"
#include "core/workload/host_input.hpp"

namespace kernelbatch::workloads::vector_add {

using Types = DTypes<int, std::int64_t, float, double>;

struct VectorAdd final : Problem {
  Array a, b;  ///< shape (n,)

  VectorAdd(const Params& params, Inputs& inputs);
  static WorkloadInfo info();
  static double device_bytes(const Params& params);
  std::vector<OutputArray> outputs() const override;
  Cost cost() const override;
};

}  // namespace kernelbatch::workloads::vector_add
