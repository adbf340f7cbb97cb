// Clocks: wall time for records, and the clock for measurements.
#pragma once

#include <chrono>
#include <cstdint>

namespace kernelbatch {

/// Nanoseconds since 1970 (UTC) of the system clock, which can be set back.
std::int64_t unix_time_ns() noexcept;

/// Seconds of the steady clock, by a direct system call: a library that replaces the C library's
/// clock does not affect it.
double system_seconds() noexcept;

/// Clock for all measurements and their evaluation: the steady clock. With
/// KERNELBATCH_CLOCK=simulated it is a clock of this process, independent of the machine's load: a
/// reading takes 1 us, and the host device adds its launches and copies at a fixed rate. Tests use
/// it, so that their results do not depend on the machine. GPU events are always real. Results of a
/// simulated clock are marked in the environment column `clock`.
class MeasuringClock {
 public:
  using duration = std::chrono::steady_clock::duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr bool is_steady = true;

  static time_point now() noexcept;
  static bool is_simulated() noexcept;
  /// Adds simulated work; does nothing if the clock is real.
  static void advance(double seconds) noexcept;
  /// Adds a launch of `threads` threads, or a copy of `bytes`.
  static void add_launch(double threads) noexcept {
    advance(kLaunchSeconds + kThreadSeconds * threads);
  }
  static void add_copy(double bytes) noexcept { advance(kCopySeconds * bytes); }

 private:
  /// Approximate costs on one core of the host device.
  static constexpr double kLaunchSeconds = 10e-6, kThreadSeconds = 10e-9, kCopySeconds = 0.2e-9;
};

/// Seconds since a point of the measuring clock.
inline double seconds_since(MeasuringClock::time_point start) noexcept {
  return std::chrono::duration<double>(MeasuringClock::now() - start).count();
}

/// Accumulates equal time spans by the process's steady clock and by the system's. Spans at whose
/// ends the process was preempted are excluded.
class ClockPair {
 public:
  /// Both clocks at one moment.
  struct Reading {
    double steady = 0, system = 0;
    bool is_good = false;  ///< the readings are not interrupted
  };
  using Read = Reading (*)();

  /// `read` reads both clocks; tests pass their own.
  explicit ClockPair(Read read = &read_clocks) noexcept : read_(read) {}
  void begin() noexcept { begin_ = read_(); }
  void end() noexcept;
  double steady_s() const noexcept { return steady_s_; }
  double system_s() const noexcept { return system_s_; }

 private:
  static Reading read_clocks();

  Read read_;
  Reading begin_;
  double steady_s_ = 0, system_s_ = 0;
};

}  // namespace kernelbatch
