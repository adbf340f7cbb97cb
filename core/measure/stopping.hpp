// Stop rule of a series of samples.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>

#include "core/job/spec.hpp"

namespace kernelbatch {

/// Stops a series when it has at least min_samples and either the 95 % interval of the median is no
/// wider than spec.noise, or the samples' relative standard deviation (of at least five) is at most
/// half of it; otherwise at max_samples or after timeout_s.
class StopRule {
 public:
  explicit StopRule(const MeasureSpec& spec) : spec_(spec) {}

  /// The series ends with its first sample if that is longer than this, in seconds.
  void drop_above(double seconds) noexcept { drop_above_ = seconds; }
  bool has_dropped() const noexcept { return has_dropped_; }

  /// True if another sample is to be taken, after `seconds` of samples. `times` is the whole series
  /// so far. Once false, always false. After deciding to wait for more samples, the rule does not
  /// check the series before they exist.
  bool wants_more(std::span<const double> times, double seconds);
  /// Number of samples at the rule's next check: a variant's turn may end there.
  std::size_t next_look() const noexcept { return next_look_; }
  /// Expected remaining seconds of the series: until the requested interval, extrapolated from its
  /// narrowing so far, or until a limit. 0 before the first sample.
  double left(std::span<const double> times, double seconds) const;
  /// Why it stopped: "interval of 0.4 % (wanted 0.5 %)". Empty before that.
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
