// For each number from 2 to n the sum of its prime factors with multiplicity: 12 = 2·2·3 → 7.
#pragma once

#include "core/workload/declared_workload.hpp"

namespace kernelbatch::workloads::prime_factor_sum {

struct PrimeFactorSum final : Problem {
  std::int64_t n = 0;
  /// Odd primes p ≤ √n in ascending order, uint32, and constants to test whether p divides a 32-bit
  /// x without a division: x·inverse mod 2^32 ≤ limit, and then the product is the quotient (T.
  /// Granlund, P. Montgomery, "Division by invariant integers using multiplication", PLDI'94,
  /// section 9).
  Array primes, inverses, limits;

  PrimeFactorSum(const Params& params, Inputs& inputs);
  static WorkloadInfo info();
  static double device_bytes(const Params& params);
  std::vector<OutputArray> outputs() const override;
  Cost cost() const override;
};

}  // namespace kernelbatch::workloads::prime_factor_sum
