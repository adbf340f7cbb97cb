// z = (x − y)², y broadcast against x, with x and y laid out in memory as a job asks.
#pragma once

#include "core/workload/workload.hpp"

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

  std::vector<OutputArray> outputs() const override;
  Cost cost() const override;
};

Work reference(const SquaredDiff& in, Run& run);
Work elementwise(const SquaredDiff& in, Run& run);
Work reduction(const SquaredDiff& in, Run& run);
Work jit(const SquaredDiff& in, Run& run);
Work raw(const SquaredDiff& in, Run& run);
Work fused(const SquaredDiff& in, Run& run);
Work unfused(const SquaredDiff& in, Run& run);

}  // namespace kernelbatch::workloads::squared_diff
