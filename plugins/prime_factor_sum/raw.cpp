// prime_factor_sum in plain CUDA, precompiled.
#include <algorithm>

#include "core/kernel/raw/kernel.hpp"
#include "embedded.hpp"
#include "plugins/prime_factor_sum/prime_factor_sum.hpp"

namespace kernelbatch::workloads::prime_factor_sum {
namespace {

constexpr std::int64_t kShortestSegment = 1024, kLongestSegment = 4096;

/// Number of segments into which the kernel cuts `count` numbers: the same number for each unit of
/// the device, and at least two per unit, so that one computes while the other waits for memory.
std::int64_t segments_of(std::int64_t count, std::int64_t units) {
  const auto pieces = [](std::int64_t whole, std::int64_t piece) {
    return (whole + piece - 1) / piece;
  };
  const std::int64_t fewest = pieces(count, kLongestSegment);
  const std::int64_t balanced = pieces(std::max(fewest, 2 * units), units) * units;
  return std::max(fewest, std::min(balanced, pieces(count, kShortestSegment)));
}

}  // namespace

static Work raw(const PrimeFactorSum& in, Run& run) {
  constexpr std::int64_t kBlock = 512;
  const auto primes = run.to_device(in.primes);
  const auto inverses = run.to_device(in.inverses);
  const auto limits = run.to_device(in.limits);
  const auto sums = run.output("sums");
  const RawModule module{EmbeddedKernel{embedded::raw_cu, embedded::raw_cu_fatbin},
                         {"prime_factor_sum"},
                         {.name = "prime_factor_sum_raw"}};
  const auto kernel = module.function("prime_factor_sum");
  const std::int64_t segments = segments_of(sums.size(), run.device().properties().compute_units);
  const auto count = static_cast<std::uint32_t>(sums.size());
  const auto length = static_cast<std::uint32_t>((sums.size() + segments - 1) / segments);
  const LaunchShape shape{.grid = {static_cast<std::uint32_t>(segments)}, .block = {kBlock}};
  const auto prime_count = static_cast<int>(in.primes.size());

  return [=](Stream& stream) {
    kernel(stream, shape, sums, count, length, primes, inverses, limits, prime_count);
  };
}
static const Variant kRaw{
    "raw", VariantKind::kRaw,
    "segmented sieve in shared memory, division by multiplication with inverses modulo 2^32", raw};

}  // namespace kernelbatch::workloads::prime_factor_sum
