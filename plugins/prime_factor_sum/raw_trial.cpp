// prime_factor_sum by plain 64-bit trial division, compiled ahead.
#include "core/kernel/raw.hpp"
#include "embedded.hpp"
#include "plugins/prime_factor_sum/prime_factor_sum.hpp"

namespace prime_factor_sum {

void raw_trial(const kernelbatch::Problem&, kernelbatch::Run& run) {
  constexpr std::int64_t kBlock = 256;
  const auto sums = run.output("sums");
  const kernelbatch::RawModule module{
      kernelbatch::EmbeddedKernel{embedded::raw_trial_cu, embedded::raw_trial_cu_fatbin},
      {"prime_factor_sum_trial"},
      {.name = "prime_factor_sum_raw_trial"}};
  const auto kernel = module.function("prime_factor_sum_trial");
  const kernelbatch::LaunchShape shape{
      .grid = {static_cast<std::uint32_t>((sums.size() + kBlock - 1) / kBlock)}, .block = {kBlock}};

  run.measure([&] { kernel(run.stream(), shape, sums, static_cast<int>(sums.size())); });
}

}  // namespace prime_factor_sum
