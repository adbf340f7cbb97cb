// y = exp(x²): one kernel or two.
#pragma once

#include "core/workload/workload.hpp"

namespace kernelbatch::workloads::square_exp {

struct SquareExp final : Problem {
  Array x;             ///< shape (n,)
  double largest = 0;  ///< |x|

  std::vector<OutputArray> outputs() const override;
  Cost cost() const override;
};

Work reference(const SquareExp& in, Run& run);
Work elementwise(const SquareExp& in, Run& run);
Work reduction(const SquareExp& in, Run& run);
Work jit(const SquareExp& in, Run& run);
Work raw(const SquareExp& in, Run& run);
Work fused(const SquareExp& in, Run& run);
Work unfused(const SquareExp& in, Run& run);

}  // namespace kernelbatch::workloads::square_exp
