// A workload whose variants go wrong in every way that the harness must survive:
// y[i] = 1 + i / 2 as float32, for i < n.
#pragma once

#include <vector>

#include "core/workload/workload.hpp"

namespace faulty {

struct Faulty final : kernelbatch::Problem {
  std::int64_t n = 0;

  std::vector<kernelbatch::OutputArray> outputs() const override;
  kernelbatch::Cost cost() const override;
};

/// Work that is right.
kernelbatch::Work good_work(kernelbatch::Run& run);

/// Every variant but the reference: wrong or broken ones, then those that harm their surroundings,
/// then right ones, which show whether the worker is still, or again, in order.
std::vector<kernelbatch::VariantDeclaration> faulty_variants();
std::vector<kernelbatch::VariantDeclaration> hostile_variants();
std::vector<kernelbatch::VariantDeclaration> last_variants();

}  // namespace faulty
