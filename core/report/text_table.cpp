#include "core/report/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

constexpr std::string_view kGap = "  ";

std::string_view escape_of(TextStyle style) {
  switch (style) {
    case TextStyle::kGood:
      return "\x1b[32m";
    case TextStyle::kBad:
      return "\x1b[1;31m";
    case TextStyle::kWarning:
      return "\x1b[33m";
    case TextStyle::kFaint:
      return "\x1b[2m";
    case TextStyle::kStrong:
      return "\x1b[1m";
    case TextStyle::kPlain:
      break;
  }
  return "";
}

bool begins_letter(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

bool contains(const std::vector<std::size_t>& values, std::size_t value) {
  return std::ranges::find(values, value) != values.end();
}

}  // namespace

std::string styled(std::string_view text, TextStyle style, const TextFormat& format) {
  const std::string_view escape = escape_of(style);
  if (!format.has_colour || escape.empty() || text.empty()) return std::string(text);
  return fmt::format("{}{}\x1b[0m", escape, text);
}

std::size_t columns_of(std::string_view text) noexcept {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_letter));
}

std::string cut(const std::string& line, std::size_t width) {
  if (width == 0 || columns_of(line) <= width) return line;
  std::size_t bytes = 0;
  for (std::size_t columns = 0; bytes < line.size(); ++bytes)
    if (begins_letter(line[bytes]) && columns++ == width) break;
  return line.substr(0, bytes);
}

void TextTable::add(std::vector<std::string> row, std::vector<TextStyle> styles) {
  for (std::string& cell : row) cell = visible_line(cell);
  rows_.push_back(std::move(row));
  styles_.push_back(std::move(styles));
}

void TextTable::drop_when_empty(std::size_t column) {
  if (std::ranges::all_of(rows_, [&](const auto& row) { return row[column].empty(); }))
    empty_.push_back(column);
}

std::vector<std::size_t> TextTable::shown_columns(const std::vector<std::size_t>& widths,
                                                  std::size_t width) const {
  std::vector<std::size_t> shown;
  for (std::size_t k = 0; k < widths.size(); ++k)
    if (!contains(empty_, k)) shown.push_back(k);
  if (width == 0) return shown;
  const auto total = [&] {
    std::size_t sum = 0;
    for (const std::size_t k : shown) sum += widths[k] + kGap.size();
    return sum - std::min(sum, kGap.size());
  };
  for (const std::size_t column : droppable_) {
    if (total() <= width) break;
    std::erase(shown, column);
  }
  return shown;
}

std::vector<std::string> TextTable::to_lines(const std::vector<std::size_t>& right,
                                             const TextFormat& format) const {
  std::vector<std::size_t> widths;
  for (const std::string& cell : header_) widths.push_back(columns_of(cell));
  for (const auto& row : rows_)
    for (std::size_t k = 0; k < row.size(); ++k)
      widths[k] = std::max(widths[k], columns_of(row[k]));
  const std::vector<std::size_t> shown = shown_columns(widths, format.width);

  const auto line_of = [&](const std::vector<std::string>& row,
                           const std::vector<TextStyle>& styles) {
    std::string line;
    std::size_t columns = 0, waiting = 0;  // blanks are written only before a letter
    for (std::size_t place = 0; place < shown.size(); ++place) {
      const std::size_t k = shown[place];
      const std::size_t padding = widths[k] - columns_of(row[k]);
      if (place > 0) waiting += kGap.size();
      if (contains(right, k)) waiting += padding;
      if (!row[k].empty()) {
        if (format.width != 0 && columns + waiting >= format.width) break;
        const std::string text =
            format.width == 0 ? row[k] : cut(row[k], format.width - columns - waiting);
        line += std::string(waiting, ' ') +
                styled(text, k < styles.size() ? styles[k] : TextStyle::kPlain, format);
        columns += waiting + columns_of(text);
        waiting = 0;
      }
      if (!contains(right, k)) waiting += padding;
    }
    return line;
  };
  std::vector<std::string> lines{
      line_of(header_, std::vector<TextStyle>(header_.size(), TextStyle::kFaint))};
  for (std::size_t k = 0; k < rows_.size(); ++k) lines.push_back(line_of(rows_[k], styles_[k]));
  return lines;
}

std::string TextTable::to_text(const std::vector<std::size_t>& right,
                               const TextFormat& format) const {
  std::string text;
  for (const std::string& line : to_lines(right, format)) text += line + "\n";
  return text;
}

}  // namespace kernelbatch
