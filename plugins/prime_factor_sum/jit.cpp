// prime_factor_sum in the JIT style.
#include "core/kernel/jit/kernel.hpp"
#include "embedded.hpp"
#include "plugins/prime_factor_sum/prime_factor_sum.hpp"

namespace kernelbatch::workloads::prime_factor_sum {

static Work jit(const PrimeFactorSum& in, Run& run) {
  constexpr std::int64_t kSegment = 2048;
  constexpr std::int64_t kLanes = 32;
  const auto primes = run.to_device(in.primes);
  const auto sums = run.output("sums");
  const JitKernel kernel{embedded::jit_cuh,
                         "prime_factor_sum",
                         {.constants = {{"SEGMENT", kSegment}, {"LANES", kLanes}}}};
  const LaunchShape shape{
      .grid = {static_cast<std::uint32_t>((sums.size() + kSegment - 1) / kSegment)},
      .block = {256}};

  return [=](Stream& stream) { kernel(stream, shape, sums, primes); };
}
static const Variant kJit{"jit", VariantKind::kJit,
                          "segmented sieve in shared memory, a warp for each prime", jit};

}  // namespace kernelbatch::workloads::prime_factor_sum
