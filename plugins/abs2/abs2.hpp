// y = re(z)² + im(z)².
#pragma once

#include "core/workload/workload.hpp"

namespace kernelbatch::workloads::abs2 {

struct Abs2 final : Problem {
  Array z;  ///< shape (n,)

  std::vector<OutputArray> outputs() const override;
  std::vector<OutputArray> outputs_of(std::string_view variant) const override;
  Cost cost() const override;
};

Work reference(const Abs2& in, Run& run);
Work elementwise(const Abs2& in, Run& run);
Work reduction(const Abs2& in, Run& run);
Work jit(const Abs2& in, Run& run);
Work raw(const Abs2& in, Run& run);
Work fused(const Abs2& in, Run& run);
Work unfused(const Abs2& in, Run& run);

}  // namespace kernelbatch::workloads::abs2
