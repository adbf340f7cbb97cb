// TurnSchedule: the calls before which the sets of inputs are exchanged.
#pragma once

#include <cstdint>
#include <random>

#include "core/base/clock.hpp"

namespace kernelbatch {

/// Random, so that work cannot predict them. No call is one before begin() and after end().
class TurnSchedule {
 public:
  /// The first exchange comes within `first_calls` calls.
  void begin(int first_calls, std::mt19937_64& random);
  void end() noexcept { is_active_ = false; }

  /// Asked once before each call.
  bool is_due() noexcept { return is_active_ && --until_exchange_ <= 0; }
  void count_call() noexcept { ++calls_; }
  /// Schedules the next exchange: the longer this one took, the rarer they are.
  void on_exchange(double seconds, std::mt19937_64& random);

 private:
  bool is_active_ = false;
  std::int64_t until_exchange_ = 0, calls_ = 0;
  MeasuringClock::time_point since_;
};

}  // namespace kernelbatch
