// out = (a + b)·scale.
#pragma once

#include "core/workload/workload.hpp"

namespace kernelbatch::workloads::scaled_add {

struct ScaledAdd final : Problem {
  Array a, b;        ///< shape (n,)
  double scale = 0;  ///< factor

  std::vector<OutputArray> outputs() const override;
  Cost cost() const override;
};

Work reference(const ScaledAdd& in, Run& run);
Work elementwise(const ScaledAdd& in, Run& run);
Work reduction(const ScaledAdd& in, Run& run);
Work jit(const ScaledAdd& in, Run& run);
Work raw(const ScaledAdd& in, Run& run);
Work fused(const ScaledAdd& in, Run& run);
Work unfused(const ScaledAdd& in, Run& run);

}  // namespace kernelbatch::workloads::scaled_add
