// The cases as a table for pull requests (Markdown) and papers (LaTeX).
#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/report/ci_text.hpp"
#include "core/report/export.hpp"
#include "core/report/shown_columns.hpp"

namespace kernelbatch {
namespace {

std::vector<std::string> headings(const std::vector<ShownColumn>& columns) {
  std::vector<std::string> texts;
  for (const ShownColumn& column : columns) texts.emplace_back(column.shown.heading);
  return texts;
}

std::vector<std::string> cells_of(const ResultRecord& record,
                                  const std::vector<ShownColumn>& columns) {
  std::vector<std::string> cells;
  for (const ShownColumn& column : columns) cells.push_back(shown_text(column, record));
  return cells;
}

}  // namespace

std::string to_markdown(const ResultFile& file) {
  const auto line_of = [](const std::vector<std::string>& cells) {
    std::string line = "|";
    for (const std::string& cell : cells) line += fmt::format(" {} |", markdown_text(cell));
    return line + "\n";
  };
  const std::vector<ShownColumn> columns = export_columns();
  std::string text = line_of(headings(columns)) + "|";
  for (const ShownColumn& column : columns) text += is_number(column) ? "--:|" : "---|";
  text += "\n";
  for (const ResultRecord& record : file.results) text += line_of(cells_of(record, columns));
  return text;
}

std::string to_latex(const ResultFile& file) {
  const auto line_of = [](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t k = 0; k < cells.size(); ++k)
      line += fmt::format("{}{}", k == 0 ? "" : " & ", latex_text(cells[k]));
    return "  " + line + " \\\\\n";
  };
  const std::vector<ShownColumn> columns = export_columns();
  std::string text = "\\begin{tabular}{";
  for (const ShownColumn& column : columns) text += is_number(column) ? 'r' : 'l';
  text += "}\n  \\toprule\n" + line_of(headings(columns)) + "  \\midrule\n";
  for (const ResultRecord& record : file.results) text += line_of(cells_of(record, columns));
  return text + "  \\bottomrule\n\\end{tabular}\n";
}

}  // namespace kernelbatch
