// Two independent pieces of work: the row sums of squares of one matrix, the product of two others.
#pragma once

#include "core/workload/declared_workload.hpp"

namespace kernelbatch::workloads::overlap {

struct Overlap final : Problem {
  Array p;                        ///< shape (rows, cols)
  Array a, b;                     ///< shape (m, m)
  Array row_norms, column_norms;  ///< of a, of b

  std::int64_t rows() const { return p.shape()[0]; }
  std::int64_t cols() const { return p.shape()[1]; }
  std::int64_t m() const { return a.shape()[0]; }
  Overlap(const Params& params, Inputs& inputs);
  static WorkloadInfo info();
  static double device_bytes(const Params& params);
  std::vector<OutputArray> outputs() const override;
  Cost cost() const override;
};

}  // namespace kernelbatch::workloads::overlap
