// c = a + b.
#pragma once

#include "core/workload/workload.hpp"

namespace kernelbatch::workloads::vector_add {

struct VectorAdd final : Problem {
  Array a, b;  ///< shape (n,)

  std::vector<OutputArray> outputs() const override;
  Cost cost() const override;
};

Work reference(const VectorAdd& in, Run& run);
Work elementwise(const VectorAdd& in, Run& run);
Work reduction(const VectorAdd& in, Run& run);
Work jit(const VectorAdd& in, Run& run);
Work raw(const VectorAdd& in, Run& run);
Work fused(const VectorAdd& in, Run& run);

}  // namespace kernelbatch::workloads::vector_add
