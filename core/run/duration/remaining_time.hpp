// RemainingTime: how long a run will go on, from what its cases were expected to take, what they
// took, and what the worker says of the one that runs.
#pragma once

#include <cstddef>
#include <vector>

namespace kernelbatch {

/// Of a case that runs: it is in the `process`-th of `processes` that time it.
struct Outlook {
  int process = 1, processes = 1;
  double left_s = -1;  ///< that this one takes from now on; negative: it begins
  /// That its timing takes in all, so far and from now on; each further process repeats it.
  double timing_s = 0;
};

/// All times in seconds; `now` never goes back.
class RemainingTime {
 public:
  RemainingTime() = default;
  /// What each case is expected to take, in their order: only how they relate matters once some
  /// have ended.
  explicit RemainingTime(std::vector<double> expected);

  /// The case at this place begins: the one before it has ended, and those between were not run.
  void begin_case(std::size_t place, double now);
  /// What the case has taken so far is no part of it: the device was calibrated.
  void begin_anew(double now) { begin_ = now; }
  void tell(const Outlook& outlook, double now);
  /// Until the end of the last case; negative while nothing is known.
  double left(double now) const;

 private:
  double case_left(double now) const;
  /// What another case like this one takes. `start_s`: what this one did before its timing; the
  /// first one also loads libraries and compiles kernels.
  double as_of_any_case(double start_s, double rest_s) const;
  /// What one more process takes.
  double repeat_s() const;
  double expected_of_case() const { return expected_[place_]; }
  /// Of what was expected so far.
  double pace(double more_taken, double more_expected) const;

  std::vector<double> expected_;
  double after_ = 0;                     ///< expected of the cases behind the one that runs
  double taken_ = 0, was_expected_ = 0;  ///< of those that have ended
  std::size_t place_ = 0;
  bool has_begun_ = false, has_outlook_ = false, is_first_case_ = true;
  double begin_ = 0;          ///< of the case
  double process_begin_ = 0;  ///< of a process that is not its first
  double repeat_s_ = -1;      ///< what such a process took
  double start_s_ = -1;       ///< what such a process did before its timing; kept for other cases
  double case_start_s_ = 0;   ///< of the case, before its timing
  double timing_s_ = 0;       ///< what its timing takes, as told last
  Outlook outlook_;
  double told_ = 0;  ///< when
};

}  // namespace kernelbatch
