// prime_factor_sum as a reduction over the primes ≤ √n: each prime contributes its multiplicity as
// the pair (sum of factors, product of factors); the number divided by the product is its last
// prime.
#include "core/array/random.hpp"
#include "core/kernel/reduction/kernel.hpp"
#include "plugins/prime_factor_sum/prime_factor_sum.hpp"

namespace kernelbatch::workloads::prime_factor_sum {

static Work reduction(const PrimeFactorSum& in, Run& run) {
  const auto numbers = run.to_device(arange(DType::kUInt32, {in.n - 1, 1}, 2));
  const auto primes = run.to_device(in.primes);
  const auto sums = run.output("sums");
  const ReductionKernel kernel{
      {.in = "uint32 number, uint32 prime",
       .out = "int64 sum",
       .map = R"(
    Factors found{0, 1};
    for (unsigned rest = number; rest % prime == 0; rest /= prime) {
      found.sum += prime;
      found.product *= prime;
    }
    return found;)",
       .reduce = "Factors{a.sum + b.sum, a.product * b.product}",
       .post_map = R"(
    unsigned rest = static_cast<unsigned>(_i) + 2;
    unsigned total = a.sum;
    for (; rest % 2 == 0; rest /= 2) total += 2;
    rest /= a.product;
    sum = rest > 1 ? total + rest : total)",
       .identity = "Factors{0u, 1u}",
       .name = "prime_factor_sum_reduction",
       .options = {.preamble = "struct Factors { unsigned sum, product; };",
                   .reduce_type = "Factors"}}};

  return [=](Stream& stream) { kernel.over({1})(stream, numbers, primes, sums); };
}
static const Variant kReduction{"reduction", VariantKind::kReduction,
                                "over the primes: the pair (sum of factors, their product)",
                                reduction};

}  // namespace kernelbatch::workloads::prime_factor_sum
