// prime_factor_sum as a reduction over the primes ≤ √n: each prime contributes how often it
// divides, as the pair (sum of factors, product of factors); what the product leaves of the number
// is its last prime.
#include "core/kernel/reduction.hpp"

#include "core/array/random.hpp"
#include "plugins/prime_factor_sum/prime_factor_sum.hpp"

namespace prime_factor_sum {

void reduction(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  const auto& in = static_cast<const PrimeFactorSum&>(problem);
  const auto numbers =
      run.to_device(kernelbatch::arange(kernelbatch::DType::kUInt32, {in.n - 1, 1}, 2));
  const auto primes = run.to_device(in.primes);
  const auto sums = run.output("sums");
  const kernelbatch::ReductionKernel kernel{
      "uint32 number, uint32 prime",
      "int64 sum",
      R"(
    Factors found{0, 1};
    for (unsigned rest = number; rest % prime == 0; rest /= prime) {
      found.sum += prime;
      found.product *= prime;
    }
    return found;)",
      "Factors{a.sum + b.sum, a.product * b.product}",
      R"(
    unsigned rest = static_cast<unsigned>(_i) + 2;
    unsigned total = a.sum;
    for (; rest % 2 == 0; rest /= 2) total += 2;
    rest /= a.product;
    sum = rest > 1 ? total + rest : total)",
      "Factors{0u, 1u}",
      "prime_factor_sum_reduction",
      {.preamble = "struct Factors { unsigned sum, product; };", .reduce_type = "Factors"}};

  run.measure([&] { kernel.over({1})(run.stream(), numbers, primes, sums); });
}

}  // namespace prime_factor_sum
