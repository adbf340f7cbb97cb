// y = min(max(x, 0), cap); NaN stays NaN, as with NumPy's minimum and maximum.
#pragma once

#include "core/workload/workload.hpp"

namespace kernelbatch::workloads::clipped_relu {

struct ClippedRelu final : Problem {
  Array x;         ///< shape (n,)
  double cap = 0;  ///< upper limit

  std::vector<OutputArray> outputs() const override;
  Cost cost() const override;
};

Work reference(const ClippedRelu& in, Run& run);
Work elementwise(const ClippedRelu& in, Run& run);
Work reduction(const ClippedRelu& in, Run& run);
Work jit(const ClippedRelu& in, Run& run);
Work raw(const ClippedRelu& in, Run& run);
Work fused(const ClippedRelu& in, Run& run);

}  // namespace kernelbatch::workloads::clipped_relu
