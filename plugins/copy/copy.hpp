// y = x.
#pragma once

#include "core/workload/declared_workload.hpp"
#include "core/workload/host_input.hpp"

namespace kernelbatch::workloads::copy {

using Types = DTypes<std::uint8_t, int, float, double>;

struct Copy final : Problem {
  Array x;  ///< shape (n,)

  Copy(const Params& params, Inputs& inputs);
  static WorkloadInfo info();
  static double device_bytes(const Params& params);
  std::vector<OutputArray> outputs() const override;
  Cost cost() const override;
};

}  // namespace kernelbatch::workloads::copy
