// Central differences of a grid in both directions: a stencil with two outputs.
#pragma once

#include "core/workload/declared_workload.hpp"
#include "core/workload/host_input.hpp"

namespace kernelbatch::workloads::gradient {

using Types = DTypes<float, double>;

struct Gradient final : Problem {
  Array u;  ///< shape (rows, cols)

  Gradient(const Params& params, Inputs& inputs);
  static WorkloadInfo info();
  static double device_bytes(const Params& params);
  std::vector<OutputArray> outputs() const override;
  Cost cost() const override;
};

}  // namespace kernelbatch::workloads::gradient
