#include "core/report/judged_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.hpp"
#include "core/report/ci_text.hpp"

namespace kernelbatch {
namespace {

TextStyle style_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kSlower:
    case Verdict::kWrong:
    case Verdict::kAbsent:
      return TextStyle::kBad;
    case Verdict::kGone:
    case Verdict::kUnsure:
      return TextStyle::kWarning;
    case Verdict::kFaster:
      return TextStyle::kGood;
    case Verdict::kNew:
    case Verdict::kSame:
      break;
  }
  return TextStyle::kPlain;
}

bool is_undecided(Verdict verdict) {
  return verdict == Verdict::kUnsure || verdict == Verdict::kAbsent || verdict == Verdict::kGone;
}

std::string time_text(double seconds) { return std::isnan(seconds) ? "" : format_seconds(seconds); }

std::string ratio_text(double ratio) { return std::isnan(ratio) ? "" : change_text(ratio); }

std::string interval_text(const JudgedRow& row) {
  if (std::isnan(row.ratio_low)) return "";
  return fmt::format("{} … {}", change_text(row.ratio_low), change_text(row.ratio_high));
}

/// "1.23 ms → 1.30 ms (+5.69 %, 99 % +5.01 % … +6.40 %), 3 baseline runs; driver changed"
std::string sentence_of(const JudgedLine& line, const std::string& level) {
  const JudgedRow& row = line.row;
  std::vector<std::string> parts;
  if (!std::isnan(row.ratio)) {
    const std::string interval = interval_text(row);
    parts.push_back(fmt::format("{} → {} ({}{}){}", format_seconds(row.before),
                                format_seconds(row.now), change_text(row.ratio),
                                interval.empty() ? "" : fmt::format(", {} {}", level, interval),
                                line.evidence.empty() ? "" : ", " + line.evidence));
  }
  if (!row.note.empty()) parts.push_back(row.note);
  return visible_line(join(parts, "; "));
}

/// Heading of the interval's column: "95 %".
const std::string& level_of(const JudgedReport& report) { return report.layout.header[4]; }

std::vector<std::string> times_of(const JudgedRow& row) {
  return {time_text(row.before), time_text(row.now), ratio_text(row.ratio), interval_text(row)};
}

}  // namespace

std::string judged_table(const JudgedReport& report, const TextFormat& format,
                         std::size_t most_same) {
  TextTable table(report.layout.header);
  std::size_t same = 0;
  for (const JudgedLine& line : report.lines) {
    if (line.row.verdict == Verdict::kSame && ++same > most_same) continue;
    std::vector<std::string> cells = times_of(line.row);
    cells.insert(cells.begin(), std::string(name_of(line.row.verdict)));
    cells.insert(cells.end(), {line.variant, line.workload, line.parameters});
    cells.insert(cells.end(), line.cells.begin(), line.cells.end());
    table.add(std::move(cells), {style_of(line.row.verdict)});
  }
  for (const std::size_t column : report.layout.omitted_if_empty) table.drop_when_empty(column);
  table.drop_when_narrow(report.layout.dropped);
  table.wrap(report.layout.wrapped);
  std::string text = report.intro;
  if (!report.shared.empty()) text += fmt::format("All: {}\n", visible_line(report.shared));
  text += table.to_text(report.layout.right, format);
  if (same > most_same)
    text += fmt::format("and {} more that are SAME (--all shows them)\n", same - most_same);
  return text + "\n" + report.counts + report.more + "\n";
}

std::string judged_markdown(const JudgedReport& report, const std::string& head) {
  std::string text = report.counts + "\n\n" + head;
  if (!report.shared.empty()) text += fmt::format("All: {}\n\n", markdown_text(report.shared));
  text += "|";
  for (std::size_t k = 0; k < 5; ++k) text += fmt::format(" {} |", report.layout.header[k]);
  text += " variant | workload | parameters | note |\n|---|--:|--:|--:|--:|---|---|---|---|\n";
  for (const JudgedLine& line : report.lines) {
    const std::string verdict(name_of(line.row.verdict));
    text += fmt::format("| {} |", line.fails ? fmt::format("**{}**", verdict) : verdict);
    for (const std::string& cell : times_of(line.row)) text += fmt::format(" {} |", cell);
    text += fmt::format(" {} | {} | {} | {} |\n", markdown_text(line.variant),
                        markdown_text(line.workload), markdown_text(line.parameters),
                        markdown_text(line.row.note));
  }
  return text;
}

std::string judged_junit(const JudgedReport& report) {
  std::size_t failures = 0, skipped = 0;
  std::string cases;
  for (const JudgedLine& line : report.lines) {
    const std::string_view verdict = name_of(line.row.verdict);
    const std::string message = xml_text(sentence_of(line, level_of(report)));
    cases += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.9g}\">",
                         xml_text(visible_line(line.suite)), xml_text(visible_line(line.variant)),
                         std::isnan(line.row.now) ? 0 : line.row.now);
    if (line.fails) {
      ++failures;
      cases += fmt::format("<failure type=\"{}\" message=\"{}\"/>", verdict, message);
    } else if (is_undecided(line.row.verdict)) {
      ++skipped;
      cases += fmt::format("<skipped message=\"{}: {}\"/>", verdict, message);
    } else {
      cases += fmt::format("<system-out>{}: {}</system-out>", verdict, message);
    }
    cases += "</testcase>\n";
  }
  return junit_suite(report.command, report.lines.size(), failures, skipped, cases);
}

std::string judged_github(const JudgedReport& report) {
  std::string text;
  for (const JudgedLine& line : report.lines) {
    const Verdict verdict = line.row.verdict;
    if (verdict == Verdict::kSame) continue;
    const bool is_news = verdict == Verdict::kFaster || verdict == Verdict::kNew;
    const std::string title = fmt::format("{}: {}", name_of(verdict), line.name);
    text += fmt::format("::{} title={}::{}\n",
                        line.fails ? "error"
                        : is_news  ? "notice"
                                   : "warning",
                        workflow_text(visible_line(title), true),
                        workflow_text(sentence_of(line, level_of(report)), false));
  }
  return text + fmt::format("::notice title={}::{}\n", report.command,
                            workflow_text(report.counts, false));
}

std::string counts_text(std::span<const Verdict> verdicts, std::span<const std::int64_t> counts) {
  std::string text;
  for (const Verdict verdict : verdicts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                        counts[static_cast<std::size_t>(verdict)], name_of(verdict));
  return text;
}

std::string change_text(double ratio) {
  if (std::isnan(ratio)) return "-";
  return std::isinf(ratio) ? "∞" : fmt::format("{:+.2f} %", 100 * (ratio - 1));
}

}  // namespace kernelbatch
