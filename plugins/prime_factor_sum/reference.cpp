// prime_factor_sum on the CPU: for each segment of the numbers, primes are divided out of their
// multiples.
#include <algorithm>
#include <vector>

#include "plugins/prime_factor_sum/prime_factor_sum.hpp"

namespace kernelbatch::workloads::prime_factor_sum {
namespace {

constexpr std::int64_t kPiece = 1 << 15;

/// Primes p with p·p ≤ n by the sieve of Eratosthenes.
std::vector<std::int64_t> primes_up_to_root(std::int64_t n) {
  std::int64_t root = 0;
  while ((root + 1) * (root + 1) <= n) ++root;
  std::vector<bool> composite(static_cast<std::size_t>(root + 1), false);
  std::vector<std::int64_t> primes;
  for (std::int64_t p = 2; p <= root; ++p) {
    if (composite[static_cast<std::size_t>(p)]) continue;
    primes.push_back(p);
    for (std::int64_t multiple = p * p; multiple <= root; multiple += p)
      composite[static_cast<std::size_t>(multiple)] = true;
  }
  return primes;
}

/// Sums for the numbers first…last.
void sums_of_piece(std::int64_t first, std::int64_t last, const std::vector<std::int64_t>& primes,
                   std::int64_t* sums) {
  const auto count = static_cast<std::size_t>(last - first + 1);
  std::vector<std::int64_t> rest(count);
  for (std::size_t k = 0; k < count; ++k) rest[k] = first + static_cast<std::int64_t>(k);
  std::fill(sums, sums + count, 0);
  for (const std::int64_t p : primes) {
    if (p * p > last) break;
    for (std::int64_t multiple = (first + p - 1) / p * p; multiple <= last; multiple += p) {
      const auto at = static_cast<std::size_t>(multiple - first);
      while (rest[at] % p == 0) {
        rest[at] /= p;
        sums[at] += p;
      }
    }
  }
  for (std::size_t k = 0; k < count; ++k)
    if (rest[k] > 1) sums[k] += rest[k];
}

}  // namespace

static Work reference(const PrimeFactorSum& in, Run& run) {
  const Array out = run.output("sums");
  const auto sums = out.as<std::int64_t>();

  return [=, &in] {
    const std::vector<std::int64_t> primes = primes_up_to_root(in.n);
    const std::int64_t pieces = (in.n - 1 + kPiece - 1) / kPiece;
#pragma omp parallel for schedule(dynamic)
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      const std::int64_t first = 2 + piece * kPiece;
      sums_of_piece(first, std::min(in.n, first + kPiece - 1), primes,
                    sums.data() + static_cast<std::size_t>(first - 2));
    }
  };
}
static const Variant kReference{
    "reference", VariantKind::kReference,
    "segmented sieve that divides the primes out of their multiples, on all cores", reference};

}  // namespace kernelbatch::workloads::prime_factor_sum
