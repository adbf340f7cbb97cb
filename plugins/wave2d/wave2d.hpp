// A 2-D acoustic wave by finite differences, many steps:
//   next = 2·now − before + q·(now[r−1, c] + now[r+1, c] + now[r, c−1] + now[r, c+1] − 4·now)
// with q = (speed·dt/h)² of each cell, zero outside the grid. Second order in space and time.
#pragma once

#include "core/workload/workload.hpp"

namespace kernelbatch::workloads::wave2d {

struct Wave2D final : Problem {
  Array q;      ///< shape (rows, cols)
  Array start;  ///< shape (rows, cols): the field at rest before the first step
  std::int64_t steps = 0;
  double largest = 0;  ///< |start|

  std::vector<OutputArray> outputs() const override;
  Cost cost() const override;
};

Work reference(const Wave2D& in, Run& run);
Work elementwise(const Wave2D& in, Run& run);
Work reduction(const Wave2D& in, Run& run);
Work jit(const Wave2D& in, Run& run);
Work raw(const Wave2D& in, Run& run);
Work graph(const Wave2D& in, Run& run);

}  // namespace kernelbatch::workloads::wave2d
