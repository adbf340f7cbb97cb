#include "core/report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string cut(const std::string& line, std::size_t width) {
  if (width == 0 || columns_of(line) <= width) return line;
  std::size_t bytes = 0;
  for (std::size_t columns = 0; bytes < line.size(); ++bytes) {
    if ((static_cast<unsigned char>(line[bytes]) & 0xC0) != 0x80 && columns++ == width) break;
  }
  return line.substr(0, bytes);
}

/// "1.23 ms ± 0.4 %", with the interval's half width relative to the median.
std::string interval_text(const Summary& summary) {
  if (summary.samples < 6) return "";  // too few to say: summarise() gives their range
  const double half = (summary.ci95_high - summary.ci95_low) / 2 / summary.median;
  if (std::isnan(half)) return "";
  return fmt::format("± {:.2g} %", 100 * half);
}

std::string rate_text(double bytes_per_second) {
  if (std::isnan(bytes_per_second)) return "";
  return fmt::format("{:.{}f}", bytes_per_second / 1e9, bytes_per_second < 1e11 ? 2 : 0);
}

std::string error_text(const ResultRecord& record) {
  if (record.kind == "reference" && record.status == Status::kOk) return "is the reference";
  for (const OutputRecord& output : record.outputs) {
    if (output.mode == "reference") return "is the reference";
    if (output.mode == "none") return "UNVERIFIED: no reference";
  }
  double rel = -1;
  bool all_exact = !record.outputs.empty();
  for (const OutputRecord& output : record.outputs) {
    rel = std::max(rel, output.max_rel_err);
    all_exact = all_exact && output.max_abs_err == 0;
  }
  if (record.outputs.empty()) return "";
  if (all_exact) return "exact";
  return fmt::format("rel {:.1e}", rel);
}

std::string case_heading(const ResultRecord& record) {
  return fmt::format("{}  {}  [{}]", record.workload, to_text(record.params), record.case_id);
}

}  // namespace

std::string TextTable::to_text(const std::vector<std::size_t>& right, std::size_t width) const {
  std::vector<std::size_t> widths;
  for (const std::string& cell : header_) widths.push_back(columns_of(cell));
  for (const auto& row : rows_)
    for (std::size_t k = 0; k < row.size(); ++k)
      widths[k] = std::max(widths[k], columns_of(row[k]));
  const auto line_of = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::string padding(widths[k] - columns_of(row[k]), ' ');
      const bool is_right = std::find(right.begin(), right.end(), k) != right.end();
      line += (k == 0 ? "" : "  ") + (is_right ? padding + row[k] : row[k] + padding);
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    return cut(line, width) + "\n";
  };
  std::string text = line_of(header_);
  for (const auto& row : rows_) text += line_of(row);
  return text;
}

std::string results_table(const std::vector<ResultRecord>& results, std::size_t width) {
  std::string text;
  std::string failures;
  for (std::size_t begin = 0; begin < results.size();) {
    std::size_t end = begin;
    TextTable table(
        {"  variant", "status", "median", "95 %", "GB/s", "speed-up", "error", "device"});
    for (; end < results.size() && results[end].case_id == results[begin].case_id; ++end) {
      const ResultRecord& record = results[end];
      const bool is_right = record.status == Status::kOk;
      table.add(
          {"  " + record.variant, std::string(to_text(record.status)),
           is_right ? format_seconds(record.ranked_time()) : "-",
           is_right ? interval_text(record.cold) : "",
           is_right ? rate_text(record.bandwidth()) : "",
           is_right && !std::isnan(record.speedup) ? fmt::format("{:.2f}x", record.speedup) : "",
           error_text(record), record.device});
      if (!is_right) failures += failure_text(record);
    }
    text +=
        cut(case_heading(results[begin]), width) + "\n" + table.to_text({2, 3, 4, 5}, width) + "\n";
    begin = end;
  }
  if (!failures.empty()) text += "Not ok:\n" + failures;
  return text;
}

std::string failure_text(const ResultRecord& record) {
  std::string text =
      fmt::format("  {} {} {}: {}{}: {}\n", record.workload, to_text(record.params), record.variant,
                  to_text(record.status), record.phase.empty() ? "" : " in phase " + record.phase,
                  record.reason);
  for (const std::string& line : split(trim(record.detail), '\n'))
    if (!line.empty()) text += fmt::format("      | {}\n", line);
  return text;
}

}  // namespace kernelbatch
