// The time of day, as records hold it.
#pragma once

#include <chrono>
#include <cstdint>

namespace kernelbatch {

/// Nanoseconds since 1970 (UTC), by the system's clock: it can be set back.
std::int64_t unix_time_ns() noexcept;

/// Seconds of the system's steady clock, asked of the system itself: a library that puts another
/// clock in the place of the C library's does not change it.
double system_seconds() noexcept;

/// Seconds since a point of the steady clock.
inline double seconds_since(std::chrono::steady_clock::time_point start) noexcept {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Adds up the same spans of time by the steady clock, as the process sees it, and by the system's.
/// Spans at whose ends the process was not given a core are left out.
class ClockPair {
 public:
  void begin() noexcept { begin_ = read(); }
  void end() noexcept;
  double steady_s() const noexcept { return steady_s_; }
  double system_s() const noexcept { return system_s_; }

 private:
  struct Reading {
    double steady = 0, system = 0;
    bool is_good = false;  ///< both were read at one moment
  };
  static Reading read() noexcept;

  Reading begin_;
  double steady_s_ = 0, system_s_ = 0;
};

}  // namespace kernelbatch
