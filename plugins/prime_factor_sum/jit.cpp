// prime_factor_sum in the JIT style.
#include "core/kernel/jit.hpp"

#include "embedded.hpp"
#include "plugins/prime_factor_sum/prime_factor_sum.hpp"

namespace prime_factor_sum {

void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run) {
  constexpr std::int64_t kSegment = 2048;
  constexpr std::int64_t kLanes = 32;
  const auto& in = static_cast<const PrimeFactorSum&>(problem);
  const auto primes = run.to_device(in.primes);
  const auto sums = run.output("sums");
  const kernelbatch::JitKernel kernel{embedded::jit_cuh,
                                      "prime_factor_sum",
                                      {.constants = {{"SEGMENT", kSegment}, {"LANES", kLanes}}}};
  const kernelbatch::LaunchShape shape{
      .grid = {static_cast<std::uint32_t>((sums.size() + kSegment - 1) / kSegment)},
      .block = {256}};

  run.measure([&] { kernel(run.stream(), shape, sums, primes); });
}

}  // namespace prime_factor_sum
