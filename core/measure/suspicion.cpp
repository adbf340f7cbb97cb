#include "core/measure/suspicion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

constexpr std::int64_t kFewSamples = 5, kManySamples = 20;
/// Thresholds for times of different inputs of one kind: the work may depend on the data a little.
constexpr double kFarApart = 2, kFewApart = 1.3, kFarApartSeconds = 3e-6;
constexpr double kBelowNothing = 0.7;
/// Queueing takes a few microseconds per launch.
constexpr double kQueueSeconds = 100e-6, kHostSeconds = 1e-3, kHostFactor = 3;
/// The two clocks are read one after the other, and agree except for that delay.
constexpr double kClockSeconds = 5e-3, kClockDifference = 0.05;

}  // namespace

bool may_differ_by_set(std::span<const Summary> by_set) {
  if (by_set.size() < 2) return true;
  const Summary &first = by_set[0], &second = by_set[1];
  const auto is_apart = [](double a, double b, double factor) {
    const auto [fast, slow] = std::minmax(a, b);
    return slow > factor * fast && slow - fast > kFarApartSeconds;
  };
  if (std::min(first.samples, second.samples) >= kFewSamples)
    return is_apart(first.median, second.median, kFarApart) ||
           is_apart(first.min, second.min, kFarApart);
  // On a busy machine the median of few samples is arbitrary, but the fastest call is hardly
  // slower.
  return first.samples + second.samples >= kManySamples ||
         is_apart(first.min, second.min, kFewApart);
}

std::string different_by_set(double fast_s, double slow_s) {
  return fmt::format(
      "calls on one set of inputs take {}, on another of the same kind {}: answers that are known "
      "may be looked up",
      format_seconds(fast_s), format_seconds(slow_s));
}

std::string different_clocks(double steady_s, double system_s) {
  if (system_s < kClockSeconds || std::abs(steady_s / system_s - 1) < kClockDifference) return "";
  return fmt::format("the process clock measured {}, the system clock {}", format_seconds(steady_s),
                     format_seconds(system_s));
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
