// y = x.
#pragma once

#include "core/workload/workload.hpp"

namespace kernelbatch::workloads::copy {

struct Copy final : Problem {
  Array x;  ///< shape (n,)

  std::vector<OutputArray> outputs() const override;
  Cost cost() const override;
};

Work reference(const Copy& in, Run& run);
Work elementwise(const Copy& in, Run& run);
Work reduction(const Copy& in, Run& run);
Work jit(const Copy& in, Run& run);
Work raw(const Copy& in, Run& run);

}  // namespace kernelbatch::workloads::copy
