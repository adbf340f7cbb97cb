// When are there enough samples?
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>

#include "core/job/spec.hpp"

namespace kernelbatch {

/// Stops a series of samples when it has at least min_samples and either the 95 % interval of the
/// median is no wider than spec.noise, or the samples themselves scatter by no more than half of it
/// (standard deviation over mean, five samples or more); or else at max_samples or after timeout_s.
class StopRule {
 public:
  explicit StopRule(const MeasureSpec& spec) : spec_(spec) {}

  /// The series ends with its first sample where that is longer, in seconds.
  void drop_above(double seconds) noexcept { drop_above_ = seconds; }
  bool has_dropped() const noexcept { return has_dropped_; }

  /// Whether another sample is to be taken, after `seconds` of them. `times` is the whole series so
  /// far; once false, always false. A rule that was told to wait for more samples does not look at
  /// the series before they are there.
  bool wants_more(std::span<const double> times, double seconds);
  /// Samples after which the rule looks at the series again: where a variant's turn may end.
  std::size_t next_look() const noexcept { return next_look_; }
  /// Seconds that the series is likely to go on: to the interval that is wanted, as it has narrowed
  /// so far, or to a limit. 0 before the first sample.
  double left(std::span<const double> times, double seconds) const;
  /// Why it stopped: "interval of 0.4 % (wanted 0.5 %)". Empty before.
  const std::string& reason() const noexcept { return reason_; }

 private:
  bool stop(std::string reason);
  std::string state_text(std::span<const double> times) const;

  MeasureSpec spec_;
  std::size_t next_look_ = 0;
  std::string reason_;
  double drop_above_ = std::numeric_limits<double>::infinity();
  bool has_dropped_ = false;
};

}  // namespace kernelbatch
