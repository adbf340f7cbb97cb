// y = re(z)² + im(z)².
#pragma once

#include "core/plugin/workload.hpp"

namespace abs2 {

struct Abs2 final : kernelbatch::Problem {
  kernelbatch::Array z;  ///< shape (n,)

  std::vector<kernelbatch::OutputArray> outputs() const override;
  std::vector<kernelbatch::OutputArray> outputs_of(std::string_view variant) const override;
  kernelbatch::Cost cost() const override;
};

void reference(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void elementwise(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void reduction(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void raw(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void fused(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void unfused(const kernelbatch::Problem& problem, kernelbatch::Run& run);

}  // namespace abs2
