// z = (x − y)², y broadcast against x, with x and y laid out in memory as a job asks.
#pragma once

#include "core/workload/declared_workload.hpp"

namespace kernelbatch::workloads::squared_diff {

struct SquaredDiff final : Problem {
  Array x;             ///< as stored: x_view() is (rows, cols)
  Array y;             ///< likewise: y_view() broadcasts to that
  std::string layout;  ///< of x, and of y if it has the same size
  std::int64_t rows = 0, cols = 0;

  /// The logical array in its storage, in any memory.
  Array x_view(const Array& stored) const;
  Array y_view(const Array& stored) const;
  bool is_dense() const;  ///< no broadcasting and no gaps: one loop over both

  SquaredDiff(const Params& params, Inputs& inputs);
  static WorkloadInfo info();
  static double device_bytes(const Params& params);
  std::vector<OutputArray> outputs() const override;
  Cost cost() const override;
};

}  // namespace kernelbatch::workloads::squared_diff
