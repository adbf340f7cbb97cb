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

/// Columns of the terminal that standard error is.
int terminal_columns() {
  winsize size{};
  return ::ioctl(2, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

std::string clock_text(double seconds) {
  const auto s = static_cast<long long>(std::llround(std::max(seconds, 0.0)));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{}:{:02} min", s / 60, s % 60);
  return fmt::format("{}:{:02}:{:02} h", s / 3600, s / 60 % 60, s % 60);
}

std::string progress_line(std::size_t done, std::size_t total, double elapsed_s, double left_s,
                          const std::string& current, const std::string& last, int width) {
  constexpr std::size_t kBar = 20;
  const std::size_t filled = total == 0 ? 0 : kBar * done / total;
  std::string line = fmt::format("[{}{}] {}/{}", std::string(filled, '#'),
                                 std::string(kBar - filled, '.'), done, total);
  std::string times = "  " + clock_text(elapsed_s) + " elapsed";
  if (left_s >= 0) times += ", about " + clock_text(left_s) + " left";
  for (const std::string& part :
       {times, current.empty() ? "" : "  " + current, last.empty() ? "" : "  last: " + last}) {
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
  fmt::print(stderr, "kernelbatch: {} earlier results are run anew; changed since: {}\n", results,
             join(changes));
}

void ProgressPrinter::on_variant(const PlannedCase&, const std::string& variant, Phase phase) {
  current_ = visible_line(fmt::format("{} {}", variant, name_of(phase)));
  draw();
}

void ProgressPrinter::on_calibration(const DeviceCalibration& calibration) {
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

void ProgressPrinter::draw() {
  if (style_ != ProgressStyle::kBar) return;
  clear();
  const double elapsed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const std::size_t done_here = done_ - std::min(done_, done_at_start_);
  const double left = done_here == 0 ? -1
                                     : elapsed / static_cast<double>(done_here) *
                                           static_cast<double>(total_ - std::min(done_, total_));
  fmt::print(stderr, "{}",
             progress_line(done_, total_, elapsed, left, current_, last_, terminal_columns() - 1));
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
