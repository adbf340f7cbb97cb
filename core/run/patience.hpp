// Patience: how long something may take, in time in which it could run.
#pragma once

#include <algorithm>
#include <chrono>

namespace kernelbatch {

/// A time limit that does not run while the job is stopped (SIGSTOP, Slurm's suspend). Whoever
/// waits does so in slices and ticks after each: a slice that took far longer than it was to is one
/// in which this process was stopped.
class Patience {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::duration kSlice = std::chrono::milliseconds(250);

  explicit Patience(double seconds)
      : left_(std::chrono::duration_cast<Clock::duration>(
            std::chrono::duration<double>(std::min(seconds, kLongest)))) {}

  bool is_over() const noexcept { return left_ <= Clock::duration::zero(); }
  /// How long to wait at once.
  Clock::duration slice() const noexcept {
    return std::clamp(left_, Clock::duration::zero(), kSlice);
  }
  /// Counts what passed since the last tick or skip: a busy machine may wake a process late, but
  /// not by more than a slice.
  void tick(Clock::time_point now = Clock::now()) noexcept {
    left_ -= std::min(now - mark_, 2 * kSlice);
    mark_ = now;
  }
  /// What passed since the last tick or skip does not count.
  void skip(Clock::time_point now = Clock::now()) noexcept { mark_ = now; }

 private:
  static constexpr double kLongest = 1e9;  // thirty years, which the clock can count
  Clock::duration left_;
  Clock::time_point mark_ = Clock::now();
};

}  // namespace kernelbatch
