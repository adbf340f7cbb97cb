// A 2-D acoustic wave by finite differences, many steps:
//   next = 2·now − before + q·(now[r−1, c] + now[r+1, c] + now[r, c−1] + now[r, c+1] − 4·now)
// with q = (speed·dt/h)² of each cell, zero outside the grid. Second order in space and time.
#pragma once

#include "core/plugin/workload.hpp"

namespace wave2d {

struct Wave2D final : kernelbatch::Problem {
  kernelbatch::Array q;      ///< shape (rows, cols)
  kernelbatch::Array start;  ///< shape (rows, cols): the field at rest before the first step
  std::int64_t steps = 0;
  double largest = 0;  ///< |start|

  std::vector<kernelbatch::OutputArray> outputs() const override;
  kernelbatch::Cost cost() const override;
};

void reference(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void elementwise(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void reduction(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void raw(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void graph(const kernelbatch::Problem& problem, kernelbatch::Run& run);

}  // namespace wave2d
