// The cases as a table for pull requests (Markdown) and papers (LaTeX).
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/report/ci_text.hpp"
#include "core/report/export.hpp"
#include "core/report/table.hpp"

namespace kernelbatch {
namespace {

bool is_number(std::string_view column) {
  static constexpr std::string_view kNumbers[] = {"median", "± 95 %", "GB/s", "speed-up"};
  return std::ranges::find(kNumbers, column) != std::end(kNumbers);
}

}  // namespace

std::string to_markdown(const ResultFile& file) {
  const auto line_of = [](const auto& cells) {
    std::string line = "|";
    for (const auto& cell : cells) line += fmt::format(" {} |", markdown_text(cell));
    return line + "\n";
  };
  std::string text = line_of(kExportedColumns) + "|";
  for (const std::string_view column : kExportedColumns)
    text += is_number(column) ? "--:|" : "---|";
  text += "\n";
  for (const ResultRecord& record : file.results) text += line_of(result_cells(record));
  return text;
}

std::string to_latex(const ResultFile& file) {
  const auto line_of = [](const auto& cells) {
    std::string line;
    for (std::size_t k = 0; k < std::size(cells); ++k)
      line += fmt::format("{}{}", k == 0 ? "" : " & ", latex_text(cells[k]));
    return "  " + line + " \\\\\n";
  };
  std::string text = "\\begin{tabular}{";
  for (const std::string_view column : kExportedColumns) text += is_number(column) ? 'r' : 'l';
  text += "}\n  \\toprule\n" + line_of(kExportedColumns) + "  \\midrule\n";
  for (const ResultRecord& record : file.results) text += line_of(result_cells(record));
  return text + "  \\bottomrule\n\\end{tabular}\n";
}

}  // namespace kernelbatch
