// Patience: a limit on the time in which a process could run.
#pragma once

#include <algorithm>
#include <chrono>
#include <utility>

namespace kernelbatch {

/// A time limit that excludes the time in which the job is stopped (SIGSTOP, Slurm's suspend) or
/// the awaited process gets no core. The waiting code calls tick() after each slice: if a slice
/// took far longer than planned, this process was stopped in it.
class Patience {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::duration kSlice = std::chrono::milliseconds(250);

  explicit Patience(double seconds)
      : left_(std::chrono::duration_cast<Clock::duration>(
            std::chrono::duration<double>(std::min(seconds, kLongest)))) {}

  bool is_over() const noexcept { return left_ <= Clock::duration::zero(); }
  /// Time to wait at once.
  Clock::duration slice() const noexcept {
    return std::clamp(left_, Clock::duration::zero(), kSlice);
  }
  /// Counts the time since the last tick or skip, at most two slices: a busy machine may wake a
  /// process late.
  void tick(Clock::time_point now = Clock::now()) noexcept {
    const Clock::duration passed = std::min(now - mark_, 2 * kSlice);
    left_ -= passed;
    uncredited_ += passed;
    mark_ = now;
  }
  /// Time counted since the last credit.
  Clock::duration uncredited() const noexcept { return uncredited_; }
  /// Subtracts the time for which the awaited process had no core, at most nine tenths of the
  /// counted time, so that a limit ends even if that record is wrong.
  void credit(double waited_s) noexcept {
    const auto most = uncredited_ * 9 / 10;
    left_ += std::clamp(std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(std::min(waited_s, kLongest))),
                        Clock::duration::zero(), most);
    uncredited_ = Clock::duration::zero();
  }
  /// Returns the time since the last tick or skip without counting it.
  Clock::duration skip(Clock::time_point now = Clock::now()) noexcept {
    return now - std::exchange(mark_, now);
  }

 private:
  static constexpr double kLongest = 1e9;  // thirty years, within the clock's range
  Clock::duration left_, uncredited_{};
  Clock::time_point mark_ = Clock::now();
};

}  // namespace kernelbatch
