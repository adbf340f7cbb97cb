// y = min(max(x, 0), cap).
#pragma once

#include "core/plugin/workload.hpp"

namespace clipped_relu {

struct ClippedRelu final : kernelbatch::Problem {
  kernelbatch::Array x;  ///< shape (n,)
  double cap = 0;        ///< upper limit

  std::vector<kernelbatch::OutputArray> outputs() const override;
  kernelbatch::Cost cost() const override;
};

void reference(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void elementwise(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void reduction(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void raw(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void fused(const kernelbatch::Problem& problem, kernelbatch::Run& run);

}  // namespace clipped_relu
