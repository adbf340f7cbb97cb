// prime_factor_sum by plain 64-bit trial division, precompiled.
#include "core/kernel/raw/kernel.hpp"
#include "embedded.hpp"
#include "plugins/prime_factor_sum/prime_factor_sum.hpp"

namespace kernelbatch::workloads::prime_factor_sum {

static Work raw_trial(const PrimeFactorSum&, Run& run) {
  constexpr std::int64_t kBlock = 256;
  const auto sums = run.output("sums");
  const RawModule module{EmbeddedKernel{embedded::raw_trial_cu, embedded::raw_trial_cu_fatbin},
                         {"prime_factor_sum_trial"},
                         {.name = "prime_factor_sum_raw_trial"}};
  const auto kernel = module.function("prime_factor_sum_trial");
  const LaunchShape shape{.grid = {static_cast<std::uint32_t>((sums.size() + kBlock - 1) / kBlock)},
                          .block = {kBlock}};

  return [=](Stream& stream) { kernel(stream, shape, sums, static_cast<int>(sums.size())); };
}
static const Variant kRawTrial{
    "raw_trial", VariantKind::kRaw,
    "64-bit trial division by 2 and odd numbers, as a first version is written", raw_trial};

}  // namespace kernelbatch::workloads::prime_factor_sum
