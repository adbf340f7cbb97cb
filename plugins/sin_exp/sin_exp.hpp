// y = sin(x)·exp(−x²).
#pragma once

#include "core/workload/workload.hpp"

namespace kernelbatch::workloads::sin_exp {

struct SinExp final : Problem {
  Array x;             ///< shape (n,)
  double largest = 0;  ///< |x|

  std::vector<OutputArray> outputs() const override;
  Cost cost() const override;
};

Work reference(const SinExp& in, Run& run);
Work elementwise(const SinExp& in, Run& run);
Work reduction(const SinExp& in, Run& run);
Work jit(const SinExp& in, Run& run);
Work raw(const SinExp& in, Run& run);
Work fused(const SinExp& in, Run& run);

}  // namespace kernelbatch::workloads::sin_exp
