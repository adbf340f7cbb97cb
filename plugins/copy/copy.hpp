// y = x.
#pragma once

#include "core/plugin/workload.hpp"

namespace copy {

struct Copy final : kernelbatch::Problem {
  kernelbatch::Array x;  ///< shape (n,)

  std::vector<kernelbatch::OutputArray> outputs() const override;
  kernelbatch::Cost cost() const override;
};

void reference(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void elementwise(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void reduction(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void raw(const kernelbatch::Problem& problem, kernelbatch::Run& run);

}  // namespace copy
