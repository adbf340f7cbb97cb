// z[i] = x[i] + y[n − 1 − i].
#pragma once

#include "core/workload/workload.hpp"

namespace kernelbatch::workloads::add_reverse {

struct AddReverse final : Problem {
  Array x, y;  ///< shape (n,)

  std::vector<OutputArray> outputs() const override;
  Cost cost() const override;
};

Work reference(const AddReverse& in, Run& run);
Work elementwise(const AddReverse& in, Run& run);
Work reduction(const AddReverse& in, Run& run);
Work jit(const AddReverse& in, Run& run);
Work raw(const AddReverse& in, Run& run);

}  // namespace kernelbatch::workloads::add_reverse
