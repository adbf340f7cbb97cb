// What a person sees while a job runs.
#pragma once

#include <chrono>
#include <string>

#include "core/run/supervisor.hpp"

namespace kernelbatch::app {

enum class ProgressStyle {
  kNone,   ///< nothing at all
  kLines,  ///< a line for each finished result: for logs
  kBar     ///< one line that follows the work: for terminals
};

/// Prints to standard error.
class ProgressPrinter final : public RunObserver {
 public:
  /// `shows_details`: also the whole text of what went wrong.
  ProgressPrinter(ProgressStyle style, bool shows_details)
      : style_(style), shows_details_(shows_details) {}
  ProgressPrinter(const ProgressPrinter&) = delete;
  ProgressPrinter& operator=(const ProgressPrinter&) = delete;
  ~ProgressPrinter() override;

  void on_start(std::size_t done, std::size_t total) override;
  void on_changes(std::size_t results, const std::vector<std::string>& changes) override;
  void on_variant(const PlannedCase& planned, const std::string& variant, Phase phase) override;
  void on_calibration(const DeviceCalibration& calibration) override;
  void on_result(const ResultRecord& record, std::size_t done, std::size_t total) override;

 private:
  void draw();
  void clear();

  ProgressStyle style_;
  bool shows_details_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::size_t done_at_start_ = 0, done_ = 0, total_ = 0;
  std::string current_, last_;
  bool is_drawn_ = false;
};

/// "[#####.....] 12/30  0:41 elapsed, 1:02 left  raw time  last: jit ok 1.2 ms" in at most `width`
/// columns; what does not fit is left out from the end. `left_s` is negative where unknown.
std::string progress_line(std::size_t done, std::size_t total, double elapsed_s, double left_s,
                          const std::string& current, const std::string& last, int width);

/// "41 s", "1:02 min", "2:03:04 h".
std::string clock_text(double seconds);

}  // namespace kernelbatch::app
