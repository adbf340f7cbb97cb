// RunEta: remaining time of a run, from the expected times of its cases, their actual times,
// and the worker's reports on the running case.
#pragma once

#include <cstddef>
#include <vector>

namespace kernelbatch {

/// State of the running case: process number `process` of `processes` is timing it.
struct ProcessEta {
  int process = 1, processes = 1;
  double left_s = -1;  ///< remaining time of this process; negative: it is starting
  /// Total time of its timing, past and remaining; each further process repeats it.
  double timing_s = 0;
};

/// Predicts the remaining time. All times are in seconds; `now` must not decrease.
class RunEta {
 public:
  RunEta() = default;
  /// `expected`: expected time of each case, in order. Once some have ended, only the ratios
  /// matter.
  explicit RunEta(std::vector<double> expected);

  /// Starts the case at this place: the one before it has ended, and those between were not run.
  void begin_case(std::size_t place, double now);
  /// Excludes the case's time so far, which was spent on calibration.
  void begin_anew(double now) { begin_ = now; }
  void update(const ProcessEta& eta, double now);
  /// Time until the end of the last case; negative while unknown.
  double left(double now) const;

 private:
  double case_left(double now) const;
  /// Time of another case like this one. `start_s`: time of this case before its timing; the first
  /// case also loads libraries and compiles kernels.
  double as_of_any_case(double start_s, double rest_s) const;
  /// Time of one more process.
  double repeat_s() const;
  double expected_of_case() const { return expected_[place_]; }
  /// Ratio of actual to expected time so far.
  double pace(double more_taken, double more_expected) const;

  std::vector<double> expected_;
  double after_ = 0;                     ///< expected time of the cases after the running one
  double taken_ = 0, was_expected_ = 0;  ///< of finished cases
  std::size_t place_ = 0;
  bool has_begun_ = false, has_eta_ = false, is_first_case_ = true;
  double begin_ = 0;          ///< start of the case
  double process_begin_ = 0;  ///< start of a process that is not its first
  double repeat_s_ = -1;      ///< time of such a process
  double start_s_ = -1;       ///< time of such a process before its timing; kept for other cases
  double case_start_s_ = 0;   ///< time of the case before its timing
  double timing_s_ = 0;       ///< time of its timing, as reported last
  ProcessEta eta_;
  double told_ = 0;  ///< time of the last report
};

}  // namespace kernelbatch
