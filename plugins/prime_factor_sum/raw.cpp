// prime_factor_sum in plain CUDA, compiled ahead.
#include "core/kernel/raw.hpp"

#include "embedded.hpp"
#include "plugins/prime_factor_sum/prime_factor_sum.hpp"

namespace prime_factor_sum {

void raw(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  constexpr std::int64_t kBlock = 256;
  const auto& in = static_cast<const PrimeFactorSum&>(problem);
  const auto primes = run.to_device(in.primes);
  const auto inverses = run.to_device(in.inverses);
  const auto limits = run.to_device(in.limits);
  const auto sums = run.output("sums");
  const kernelbatch::RawModule module{
      kernelbatch::EmbeddedKernel{embedded::raw_cu, embedded::raw_cu_fatbin},
      {"prime_factor_sum"},
      {.name = "prime_factor_sum_raw"}};
  const auto kernel = module.function("prime_factor_sum");
  const kernelbatch::LaunchShape shape{
      .grid = {static_cast<std::uint32_t>((sums.size() + kBlock - 1) / kBlock)}, .block = {kBlock}};
  const auto prime_count = static_cast<int>(in.primes.size());

  run.measure([&] {
    kernel(run.stream(), shape, sums, sums.size(), primes, inverses, limits, prime_count);
  });
}

}  // namespace prime_factor_sum
