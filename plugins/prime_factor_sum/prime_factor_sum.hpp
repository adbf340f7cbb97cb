// For each number from 2 to n the sum of its prime factors with multiplicity: 12 = 2·2·3 → 7.
#pragma once

#include "core/plugin/workload.hpp"

namespace prime_factor_sum {

struct PrimeFactorSum final : kernelbatch::Problem {
  std::int64_t n = 0;
  /// Odd primes p ≤ √n in ascending order, uint32, and what tells whether p divides a 32-bit x
  /// without a division:
  /// x·inverse mod 2^32 ≤ limit, and then the product is the quotient (T. Granlund, P. Montgomery,
  /// "Division by invariant integers using multiplication", PLDI'94, section 9).
  kernelbatch::Array primes, inverses, limits;

  std::vector<kernelbatch::OutputArray> outputs() const override;
  kernelbatch::Cost cost() const override;
};

void reference(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void elementwise(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void reduction(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void raw(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void raw_trial(const kernelbatch::Problem& problem, kernelbatch::Run& run);

}  // namespace prime_factor_sum
