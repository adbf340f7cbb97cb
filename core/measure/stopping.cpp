#include "core/measure/stopping.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.hpp"
#include "core/measure/statistics.hpp"

namespace kernelbatch {
namespace {

/// Minimum number of samples for an interval.
constexpr int kFewest = 6;

bool are_few(std::span<const double> times) {
  return times.size() < static_cast<std::size_t>(kFewest);
}

}  // namespace

bool StopRule::stop(std::string reason) {
  reason_ = std::move(reason);
  return false;
}

std::string StopRule::state_text(std::span<const double> times) const {
  if (are_few(times)) return fmt::format("{} samples, too few for an interval", times.size());
  return fmt::format("interval of {:.2g} % (wanted {:.2g} %)", 100 * relative_interval(times),
                     100 * spec_.noise);
}

double StopRule::left(std::span<const double> times, double seconds) const {
  if (!reason_.empty()) return 0;
  const auto count = static_cast<double>(times.size());
  const double time_left = std::max(spec_.timeout_s - seconds, 0.0);
  if (times.empty()) return 0;
  if (are_few(times)) {
    const auto wanted = static_cast<double>(std::max(spec_.min_samples, kFewest));
    return std::min(time_left, (wanted - count) * seconds / count);
  }
  // The interval narrows with the square root of the number of samples; samples with little scatter
  // need no narrower interval.
  const bool is_quiet = relative_noise(times) <= spec_.noise / 2;
  const double share = is_quiet ? 0 : relative_interval(times) / spec_.noise;
  const double wanted = std::clamp(count * share * share, static_cast<double>(spec_.min_samples),
                                   static_cast<double>(spec_.max_samples));
  return std::min(time_left, std::max(wanted - count, 0.0) * seconds / count);
}

bool StopRule::wants_more(std::span<const double> times, double seconds) {
  if (!reason_.empty()) return false;
  const std::size_t count = times.size();
  if (count == 1 && times.front() > drop_above_) {
    has_dropped_ = true;
    return stop(fmt::format("its first sample is above {}", format_seconds(drop_above_)));
  }
  const auto least = static_cast<std::size_t>(spec_.min_samples);
  if (count >= static_cast<std::size_t>(spec_.max_samples))
    return stop(fmt::format("{} samples, the most allowed", count));
  if (seconds >= spec_.timeout_s && count > 0)
    return stop(fmt::format("time-out of {:.3g} s with {}", spec_.timeout_s, state_text(times)));
  if (next_look_ == 0) next_look_ = std::max<std::size_t>(1, (least + 1) / 2);
  if (count < next_look_) return true;
  // Each check costs a sort, so check at growing intervals.
  next_look_ = count < least ? least : count + count / 8 + 1;
  if (count < least) return true;
  if (relative_interval(times) <= spec_.noise) return stop(state_text(times));
  const double noise = relative_noise(times);
  if (noise <= spec_.noise / 2)
    return stop(fmt::format("noise of {:.2g} % (wanted {:.2g} % or an interval of {:.2g} %)",
                            100 * noise, 50 * spec_.noise, 100 * spec_.noise));
  return true;
}

}  // namespace kernelbatch
