// Mean squared error of two vectors: mean((y_pred - y_true)^2).
#pragma once

#include "core/plugin/workload.hpp"

namespace mse {

struct Mse final : kernelbatch::Problem {
  kernelbatch::Array y_true, y_pred;  ///< shape (n,), float32 or float64

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

}  // namespace mse
