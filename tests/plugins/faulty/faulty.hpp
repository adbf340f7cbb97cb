// A workload whose variants go wrong in every way that the harness must survive:
// y[i] = 1 + i / 2 as float32, for i < n.
#pragma once

#include "core/plugin/workload.hpp"

namespace faulty {

struct Faulty final : kernelbatch::Problem {
  std::int64_t n = 0;

  std::vector<kernelbatch::OutputArray> outputs() const override;
  kernelbatch::Cost cost() const override;
};

/// Every variant but the reference.
std::vector<kernelbatch::VariantDeclaration> faulty_variants();

}  // namespace faulty
