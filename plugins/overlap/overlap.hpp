// Two independent pieces of work: the row sums of squares of one matrix, the product of two others.
#pragma once

#include "core/workload/workload.hpp"

namespace kernelbatch::workloads::overlap {

struct Overlap final : Problem {
  Array p;                        ///< shape (rows, cols)
  Array a, b;                     ///< shape (m, m)
  Array row_norms, column_norms;  ///< of a, of b

  std::int64_t rows() const { return p.shape()[0]; }
  std::int64_t cols() const { return p.shape()[1]; }
  std::int64_t m() const { return a.shape()[0]; }
  std::vector<OutputArray> outputs() const override;
  Cost cost() const override;
};

Work reference(const Overlap& in, Run& run);
Work elementwise(const Overlap& in, Run& run);
Work reduction(const Overlap& in, Run& run);
Work jit(const Overlap& in, Run& run);
Work raw(const Overlap& in, Run& run);
Work one_stream(const Overlap& in, Run& run);
Work two_streams(const Overlap& in, Run& run);

}  // namespace kernelbatch::workloads::overlap
