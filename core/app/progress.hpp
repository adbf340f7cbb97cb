// Progress display of a run.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/run/supervisor.hpp"

namespace kernelbatch::app {

enum class ProgressStyle {
  kNone,   ///< no output
  kLines,  ///< a line per finished result, for logs
  kBar     ///< one line that is updated, for terminals
};

/// Prints to standard error.
class ProgressPrinter final : public RunObserver {
 public:
  /// `shows_details`: also print the full text of failures.
  ProgressPrinter(ProgressStyle style, bool shows_details)
      : style_(style), shows_details_(shows_details) {}
  /// Expected seconds by case ID; without them the remaining time is not shown before the first
  /// result.
  void expect(std::map<std::string, double> seconds) { expected_ = std::move(seconds); }
  ProgressPrinter(const ProgressPrinter&) = delete;
  ProgressPrinter& operator=(const ProgressPrinter&) = delete;
  ~ProgressPrinter() override;

  void on_start(std::size_t done, std::size_t total) override;
  void on_changes(std::size_t results, const std::vector<std::string>& changes) override;
  void on_variant(const PlannedCase& planned, const std::string& variant, Phase phase) override;
  void on_cases(const std::vector<const PlannedCase*>& cases) override;
  void on_eta(const ProcessEta& eta) override;
  void on_calibration(const DeviceCalibration& calibration) override;
  void on_result(const ResultRecord& record, std::size_t done, std::size_t total) override;

 private:
  void draw();
  void clear();
  double elapsed_s() const;
  double left_s();

  ProgressStyle style_;
  bool shows_details_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::size_t done_at_start_ = 0, done_ = 0, total_ = 0;
  std::string current_, last_;
  std::map<std::string, double> expected_;
  std::map<std::string, std::size_t> places_;  ///< of cases, by ID
  RunEta remaining_;
  double shown_end_ = -1, shown_at_ = 0;  ///< s since the start
  double share_ = 0;                      ///< of the bar
  bool is_searched_ = false;              ///< the number of results is unknown
  bool is_drawn_ = false;
};

struct ProgressState {
  double share = 0;  ///< of the bar, 0 to 1
  std::size_t done = 0, total = 0;
  double elapsed_s = 0;
  double left_s = -1;  ///< negative: unknown
  std::string current = {}, last = {};
};
/// "[#####.....] 12/30  41 s elapsed, about 1:02 min left  raw time  last: jit ok 1.2 ms",
/// truncated to `width` columns.
std::string progress_line(const ProgressState& state, int width);

}  // namespace kernelbatch::app
