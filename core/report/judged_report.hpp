// Verdicts about times as a table, Markdown, JUnit XML, and GitHub workflow commands.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/judged_row.hpp"
#include "core/report/text_table.hpp"

namespace kernelbatch {

enum class JudgedFormat : std::uint8_t {
  kText,
  kMarkdown,  ///< a table for an issue or a pull request
  kJson,
  kJunit,   ///< a test case per row; rows that fail the gate are failures
  kGithub,  ///< GitHub workflow commands: an annotation for each row that is not SAME
};
template <>
struct Names<JudgedFormat> {
  static constexpr Named<JudgedFormat> rows[] = {{JudgedFormat::kText, "text"},
                                                 {JudgedFormat::kMarkdown, "markdown"},
                                                 {JudgedFormat::kJson, "json"},
                                                 {JudgedFormat::kJunit, "junit"},
                                                 {JudgedFormat::kGithub, "github"}};
};

/// A row with the names of what it is about.
struct JudgedLine {
  JudgedRow row;
  bool fails = false;  ///< the gate fails because of it
  std::string workload, variant;
  std::string parameters;  ///< that not all rows share
  std::string suite;       ///< class of a test case: workload, parameters, device
  std::string name;        ///< of an annotation
  std::string evidence;    ///< what the interval is from: "3 baseline runs"
  /// Cells of the columns after the parameters; the note is one of them.
  std::vector<std::string> cells;
};

/// Columns of the text table: the verdict, the two times, their ratio, its interval, variant,
/// workload, parameters, and further ones.
struct JudgedLayout {
  std::vector<std::string> header;
  std::vector<std::size_t> right, omitted_if_empty, dropped, wrapped;
};

struct JudgedReport {
  std::string_view command;  ///< "kernelbatch gate"
  JudgedLayout layout;
  std::string intro;   ///< lines above the text table
  std::string shared;  ///< parameters of all rows
  std::string counts;  ///< of verdicts
  std::string more;    ///< after the counts below the text table
  std::vector<JudgedLine> lines;
};

/// `most_same` limits the number of SAME rows.
std::string judged_table(const JudgedReport& report, const TextFormat& format,
                         std::size_t most_same);
/// The rows; what is above them is in `head`.
std::string judged_markdown(const JudgedReport& report, const std::string& head);
std::string judged_junit(const JudgedReport& report);
std::string judged_github(const JudgedReport& report);

/// "3 SLOWER, 1 SAME", in the order of `verdicts`.
std::string counts_text(std::span<const Verdict> verdicts, std::span<const std::int64_t> counts);

/// "+3.21 %", of a ratio; "∞" for an infinite one, "-" for NaN.
std::string change_text(double ratio);

}  // namespace kernelbatch
