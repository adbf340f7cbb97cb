// A workload whose variants fail in every way that the harness must survive:
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

/// Correct work.
kernelbatch::Work good_work(kernelbatch::Run& run);

/// All variants except the reference: wrong or broken ones, then those that harm their
/// surroundings, then correct ones, which show whether the worker is still, or again, intact.
std::vector<kernelbatch::VariantDeclaration> faulty_variants();
std::vector<kernelbatch::VariantDeclaration> hostile_variants();
std::vector<kernelbatch::VariantDeclaration> last_variants();

}  // namespace faulty
