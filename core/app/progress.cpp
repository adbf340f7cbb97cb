#include "core/app/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/base/text.hpp"
#include "core/report/table.hpp"

namespace kernelbatch::app {

namespace {

/// Columns of the terminal of standard error.
int terminal_columns() {
  winsize size{};
  return ::ioctl(2, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string left_text(double seconds) {
  constexpr double kShort = 10;
  return seconds < kShort - 0.05 ? fmt::format("{:.1f} s", seconds) : clock_text(seconds);
}

}  // namespace

std::string progress_line(const ProgressState& state, int width) {
  constexpr std::size_t kBar = 20;
  const auto filled = static_cast<std::size_t>(kBar * std::clamp(state.share, 0.0, 1.0));
  std::string line = fmt::format("[{}{}] {}/{}", std::string(filled, '#'),
                                 std::string(kBar - filled, '.'), state.done, state.total);
  std::string times = "  " + clock_text(state.elapsed_s) + " elapsed";
  if (state.left_s >= 0) times += ", about " + left_text(state.left_s) + " left";
  for (const std::string& part : {times, state.current.empty() ? "" : "  " + state.current,
                                  state.last.empty() ? "" : "  last: " + state.last}) {
    if (line.size() + part.size() > static_cast<std::size_t>(std::max(width, 0))) break;
    line += part;
  }
  return line;
}

ProgressPrinter::~ProgressPrinter() { clear(); }

void ProgressPrinter::on_start(std::size_t done, std::size_t total) {
  start_ = std::chrono::steady_clock::now();
  done_at_start_ = done_ = done;
  total_ = total;
}

void ProgressPrinter::on_changes(std::size_t results, const std::vector<std::string>& changes) {
  fmt::print(stderr, "kernelbatch: re-running {} earlier results; changed since: {}\n", results,
             join(changes));
}

void ProgressPrinter::on_cases(const std::vector<const PlannedCase*>& cases) {
  std::vector<double> seconds;
  for (const PlannedCase* each : cases) {
    places_[each->case_id] = seconds.size();
    const auto known = expected_.find(each->case_id);
    seconds.push_back(known == expected_.end() ? 0 : known->second);
  }
  remaining_ = RunEta(std::move(seconds));
}

void ProgressPrinter::on_eta(const ProcessEta& eta) {
  remaining_.update(eta, elapsed_s());
  draw();
}

void ProgressPrinter::on_variant(const PlannedCase& planned, const std::string& variant,
                                 Phase phase) {
  if (const auto place = places_.find(planned.case_id); place != places_.end())
    remaining_.begin_case(place->second, elapsed_s());
  else
    is_searched_ = true;
  current_ = visible_line(fmt::format("{} {}", variant, name_of(phase)));
  draw();
}

void ProgressPrinter::on_calibration(const DeviceCalibration& calibration) {
  remaining_.begin_anew(elapsed_s());
  if (style_ == ProgressStyle::kNone) return;
  clear();
  fmt::print(stderr, "{}", noise_text({calibration}));
  draw();
}

void ProgressPrinter::on_result(const ResultRecord& record, std::size_t done, std::size_t total) {
  done_ = done;
  total_ = total;
  const double time = record.ranked_time();
  const std::string text =
      fmt::format("{}: {}{}", visible_line(record.variant), to_text(record.status),
                  std::isnan(time) ? "" : " " + format_seconds(time));
  last_ = text;
  if (style_ == ProgressStyle::kLines)
    fmt::print(stderr, "[{}/{}] {} {} {}\n", done, total, visible_line(record.workload),
               visible_line(to_text(record.params)), text);
  if (style_ != ProgressStyle::kNone && !record.printed.empty()) {
    clear();
    for (const std::string& line : split(trim(record.printed), '\n'))
      fmt::print(stderr, "  {} | {}\n", visible_line(record.variant), visible_line(line));
  }
  if (style_ != ProgressStyle::kNone && shows_details_ && !record.detail.empty()) {
    clear();
    fmt::print(stderr, "{}\n", visible(record.detail));
  }
  std::fflush(stderr);
  draw();
}

double ProgressPrinter::elapsed_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

/// Smooths the displayed estimate, so that it does not jump at each sample.
double ProgressPrinter::left_s() {
  const double now = elapsed_s();
  double left = is_searched_ ? -1 : remaining_.left(now);
  if (left < 0) {
    const std::size_t done_here = done_ - std::min(done_, done_at_start_);
    if (done_here == 0) return -1;
    left = now / static_cast<double>(done_here) *
           static_cast<double>(total_ - std::min(done_, total_));
  }
  const double slowness = std::clamp(left / 8, 0.1, 2.0);  // s
  const double end = now + left, follows = 1 - std::exp(-(now - shown_at_) / slowness);
  shown_end_ = shown_end_ < 0 ? end : shown_end_ + follows * (end - shown_end_);
  shown_at_ = now;
  return std::max(shown_end_ - now, 0.0);
}

void ProgressPrinter::draw() {
  if (style_ != ProgressStyle::kBar) return;
  clear();
  const double elapsed = elapsed_s(), left = left_s();
  const double by_results =
      total_ == 0 ? 0 : static_cast<double>(done_) / static_cast<double>(total_);
  // The bar never goes back.
  share_ = std::max(share_, left < 0 ? by_results : elapsed / std::max(elapsed + left, 1e-9));
  fmt::print(stderr, "{}",
             progress_line({.share = share_,
                            .done = done_,
                            .total = total_,
                            .elapsed_s = elapsed,
                            .left_s = left,
                            .current = current_,
                            .last = last_},
                           terminal_columns() - 1));
  std::fflush(stderr);
  is_drawn_ = true;
}

void ProgressPrinter::clear() {
  if (!is_drawn_) return;
  // Back to the line's start, and erase it.
  fmt::print(stderr, "\r\x1b[K");
  is_drawn_ = false;
}

}  // namespace kernelbatch::app
