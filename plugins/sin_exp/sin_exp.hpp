// y = sin(x)·exp(−x²).
#pragma once

#include "core/plugin/workload.hpp"

namespace sin_exp {

struct SinExp final : kernelbatch::Problem {
  kernelbatch::Array x;  ///< shape (n,)
  double largest = 0;    ///< |x|

  std::vector<kernelbatch::OutputArray> outputs() const override;
  kernelbatch::Cost cost() const override;
};

void reference(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void elementwise(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void reduction(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void raw(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void fused(const kernelbatch::Problem& problem, kernelbatch::Run& run);

}  // namespace sin_exp
