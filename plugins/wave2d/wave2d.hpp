// A 2-D acoustic wave by finite differences, many steps:
//   next = 2·now − before + q·(now[r−1, c] + now[r+1, c] + now[r, c−1] + now[r, c+1] − 4·now)
// with q = (speed·dt/h)² of each cell, zero outside the grid. Second order in space and time.
#pragma once

#include "core/workload/declared_workload.hpp"

namespace kernelbatch::workloads::wave2d {

struct Wave2D final : Problem {
  Array q;      ///< shape (rows, cols)
  Array start;  ///< shape (rows, cols): the field at rest before the first step
  std::int64_t steps = 0;
  double largest = 0;  ///< |start|

  Wave2D(const Params& params, Inputs& inputs);
  static WorkloadInfo info();
  static double device_bytes(const Params& params);
  std::vector<OutputArray> outputs() const override;
  Cost cost() const override;
};

}  // namespace kernelbatch::workloads::wave2d
