// out = (a + b)·scale.
#pragma once

#include "core/plugin/workload.hpp"

namespace scaled_add {

struct ScaledAdd final : kernelbatch::Problem {
  kernelbatch::Array a, b;  ///< shape (n,)
  double scale = 0;         ///< factor

  std::vector<kernelbatch::OutputArray> outputs() const override;
  kernelbatch::Cost cost() const override;
};

void reference(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void elementwise(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void reduction(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void raw(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void fused(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void unfused(const kernelbatch::Problem& problem, kernelbatch::Run& run);

}  // namespace scaled_add
