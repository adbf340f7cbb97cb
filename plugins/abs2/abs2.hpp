// y = re(z)² + im(z)².
#pragma once

#include "core/workload/declared_workload.hpp"

namespace kernelbatch::workloads::abs2 {

struct Abs2 final : Problem {
  Array z;  ///< shape (n,)

  Abs2(const Params& params, Inputs& inputs);
  static WorkloadInfo info();
  static double device_bytes(const Params& params);
  std::vector<OutputArray> outputs() const override;
  std::vector<OutputArray> outputs_of(std::string_view variant) const override;
  Cost cost() const override;
};

}  // namespace kernelbatch::workloads::abs2
