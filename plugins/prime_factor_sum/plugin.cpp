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

class PrimeFactorSumWorkload final : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  double device_bytes(const Params& params) const override {
    return 8.0 * static_cast<double>(params.integer("n"));
  }

  std::unique_ptr<Problem> make_problem(const Params& params, Inputs&) const override {
    auto problem = std::make_unique<PrimeFactorSum>();
    problem->n = params.integer("n");
    const std::vector<std::uint32_t> primes = odd_primes_up_to_root(problem->n);
    std::vector<std::uint32_t> inverses, limits;
    for (const std::uint32_t p : primes) {
      inverses.push_back(inverse_of(p));
      limits.push_back(0xffffffffu / p);
    }
    problem->primes = Array::from(primes);
    problem->inverses = Array::from(inverses);
    problem->limits = Array::from(limits);
    return problem;
  }

 private:
  WorkloadInfo info_{
      .name = "prime_factor_sum",
      .version = "1",
      .summary = "sum of the prime factors, with multiplicity, of each number from 2 to n",
      .parameters = {integer_parameter("n", 1'000'000, 2, 2e9, "the largest number")},
      .inputs = {},
      .outputs = {{"sums", "sum of the prime factors of k + 2, for k = 0 … n − 2"}},
      .variants = {
          variant("reference", VariantKind::kReference,
                  "segmented sieve that divides the primes out of their multiples, on all cores",
                  reference),
          variant("elementwise", VariantKind::kElementwise, "trial division by 2 and odd numbers",
                  elementwise),
          variant("reduction", VariantKind::kReduction,
                  "over the primes: the pair (sum of factors, their product)", reduction),
          variant("jit", VariantKind::kJit,
                  "segmented sieve in shared memory, a warp for each prime", jit),
          variant("raw", VariantKind::kRaw,
                  "segmented sieve in shared memory, division by multiplication with inverses "
                  "modulo 2^32",
                  raw),
          variant("raw_trial", VariantKind::kRaw,
                  "64-bit trial division by 2 and odd numbers, as a first version is written",
                  raw_trial)}};
};

}  // namespace

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

KERNELBATCH_PLUGIN(kernelbatch::workloads::prime_factor_sum::PrimeFactorSumWorkload,
                   "prime_factor_sum");
