// Declaration of the workload `prime_factor_sum`.
#include <cmath>

#include "plugins/prime_factor_sum/prime_factor_sum.hpp"

namespace kernelbatch::workloads::prime_factor_sum {
namespace {

/// Odd primes p with p·p ≤ n.
std::vector<std::uint32_t> odd_primes_up_to_root(std::int64_t n) {
  std::vector<std::uint32_t> primes;
  for (std::uint32_t p = 3; std::int64_t{p} * p <= n; p += 2) {
    bool is_prime = true;
    for (const std::uint32_t q : primes) {
      if (q * q > p) break;
      if (p % q == 0) {
        is_prime = false;
        break;
      }
    }
    if (is_prime) primes.push_back(p);
  }
  return primes;
}

/// The inverse of the odd `p` modulo 2^32: each step doubles the number of correct bits.
std::uint32_t inverse_of(std::uint32_t p) {
  std::uint32_t inverse = p;
  for (int step = 0; step < 4; ++step) inverse *= 2 - p * inverse;
  return inverse;
}

}  // namespace

WorkloadInfo PrimeFactorSum::info() {
  return {.name = "prime_factor_sum",
          .version = "1",
          .summary = "sum of the prime factors, with multiplicity, of each number from 2 to n",
          .parameters = {integer_parameter("n", 1'000'000, 2, 2e9, "the largest number")},
          .inputs = {},
          .outputs = {{"sums", "sum of the prime factors of k + 2, for k = 0 … n − 2"}}};
}

double PrimeFactorSum::device_bytes(const Params& params) {
  return 8.0 * static_cast<double>(params.integer("n"));
}

PrimeFactorSum::PrimeFactorSum(const Params& params, Inputs&) {
  n = params.integer("n");
  const std::vector<std::uint32_t> odd = odd_primes_up_to_root(n);
  std::vector<std::uint32_t> inverse, limit;
  for (const std::uint32_t p : odd) {
    inverse.push_back(inverse_of(p));
    limit.push_back(0xffffffffu / p);
  }
  primes = Array::from(odd);
  inverses = Array::from(inverse);
  limits = Array::from(limit);
}

std::vector<OutputArray> PrimeFactorSum::outputs() const {
  Tolerance tolerance;
  tolerance.mode = CompareMode::kExact;
  tolerance.reason = "integers";
  return {{.name = "sums",
           .dtype = DType::kInt64,
           .shape = {n - 1},
           .dimensions = {"number"},
           .help = "sum of the prime factors of number + 2",
           .tolerance = tolerance}};
}

Cost PrimeFactorSum::cost() const {
  // A sieve does about n·ln ln n divisions and needs no input from memory.
  const auto count = static_cast<double>(n);
  return {.bytes_read = 0,
          .bytes_written = 8 * (count - 1),
          .flops = count * std::log(std::max(1.0, std::log(count)))};
}

}  // namespace kernelbatch::workloads::prime_factor_sum

KERNELBATCH_PLUGIN(
    kernelbatch::DeclaredWorkload<kernelbatch::workloads::prime_factor_sum::PrimeFactorSum>,
    "prime_factor_sum");
