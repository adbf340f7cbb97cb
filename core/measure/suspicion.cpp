#include "core/measure/suspicion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

constexpr std::int64_t kFewSamples = 5;
/// Times of different inputs of one kind: the work may depend on the data a little.
constexpr double kFarApart = 2, kFarApartSeconds = 3e-6;
constexpr double kBelowNothing = 0.7;
/// Queueing takes a few microseconds each.
constexpr double kQueueSeconds = 100e-6, kHostSeconds = 1e-3, kHostFactor = 3;
/// Two clocks are read one after the other: they agree but for that.
constexpr double kClockSeconds = 5e-3, kClockDifference = 0.05;

}  // namespace

std::string different_by_set(std::span<const Summary> by_set) {
  if (by_set.size() < 2) return "";
  const auto [fast, slow] =
      std::ranges::minmax(by_set, {}, [](const Summary& of_set) { return of_set.median; });
  if (fast.samples < kFewSamples || slow.samples < kFewSamples) return "";
  // Half of the slow ones are above all but a few of the fast ones.
  const bool is_apart = slow.median > kFarApart * fast.median &&
                        slow.median - fast.median > kFarApartSeconds &&
                        slow.median - slow.iqr > fast.median + fast.iqr;
  if (!is_apart) return "";
  return fmt::format(
      "calls on one set of inputs take {}, on another of the same kind {}: answers that are known "
      "may be looked up",
      format_seconds(fast.median), format_seconds(slow.median));
}

std::string different_clocks(double steady_s, double system_s) {
  if (system_s < kClockSeconds || std::abs(steady_s / system_s - 1) < kClockDifference) return "";
  return fmt::format("the clock of the process says {} where the system's says {}",
                     format_seconds(steady_s), format_seconds(system_s));
}

std::string busy_host(const Summary& host, const Summary& device, std::size_t queued) {
  const double queueing = kHostSeconds + kQueueSeconds * static_cast<double>(queued);
  if (host.samples < kFewSamples || !(host.median > queueing) ||
      !(host.median > kHostFactor * device.median))
    return "";
  return fmt::format(
      "the host works {} in each call, the device {}: the CPU may compute what is timed",
      format_seconds(host.median), format_seconds(device.median));
}

std::string faster_than_nothing(const Summary& calls, const Summary& nothing) {
  if (calls.samples < kFewSamples || nothing.samples < kFewSamples) return "";
  if (!(calls.median < kBelowNothing * nothing.median) || !(calls.median < nothing.min)) return "";
  return fmt::format("a call takes {}, a kernel that does nothing {}", format_seconds(calls.median),
                     format_seconds(nothing.median));
}

}  // namespace kernelbatch
