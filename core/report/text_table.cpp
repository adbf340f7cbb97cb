#include "core/report/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

constexpr std::string_view kGap = "  ";
/// Minimum width of a wrapped column, and the one below which columns are dropped instead.
constexpr std::size_t kNarrowest = 12, kComfortable = 16;

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

/// The lines of a cell of `width` columns; a longer word is split.
std::vector<std::string> pieces(const std::string& cell, std::size_t width) {
  std::vector<std::string> lines;
  for (const std::string& line : split(wrapped(cell, width), '\n')) {
    std::string rest = line;
    while (columns_of(rest) > width) {
      lines.push_back(cut(rest, width));
      rest = rest.substr(lines.back().size());
    }
    lines.push_back(rest);
  }
  return lines;
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

std::string wrapped(std::string_view text, std::size_t width) {
  if (width == 0) return std::string(text);
  std::string out;
  for (const std::string& line : split(text, '\n')) {
    std::string current;
    for (const std::string& word : split(line, ' ')) {
      if (!current.empty() && columns_of(current) + 1 + columns_of(word) > width) {
        out += current + "\n";
        current = word;
      } else {
        current += (current.empty() ? "" : " ") + word;
      }
    }
    out += current + "\n";
  }
  out.pop_back();
  return out;
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

TextTable::Layout TextTable::layout(std::size_t width) const {
  Layout layout;
  for (const std::string& cell : header_) layout.widths.push_back(columns_of(cell));
  for (const auto& row : rows_)
    for (std::size_t k = 0; k < row.size(); ++k)
      layout.widths[k] = std::max(layout.widths[k], columns_of(row[k]));
  for (std::size_t k = 0; k < header_.size(); ++k)
    if (!contains(empty_, k)) layout.shown.push_back(k);
  if (width == 0) return layout;
  const auto excess = [&](std::size_t wrapped_width) {
    std::size_t sum = 0;
    for (const std::size_t k : layout.shown) {
      const bool is_wrapped = contains(wrapped_, k);
      sum +=
          (is_wrapped ? std::min(layout.widths[k], wrapped_width) : layout.widths[k]) + kGap.size();
    }
    sum -= std::min(sum, kGap.size());
    return sum - std::min(sum, width);
  };
  for (const std::size_t column : droppable_) {
    if (excess(kComfortable) == 0) break;
    if (std::erase(layout.shown, column) > 0) layout.hidden.push_back(column);
  }
  while (excess(width) > 0) {
    std::size_t* widest = nullptr;
    for (const std::size_t column : wrapped_)
      if (contains(layout.shown, column) && layout.widths[column] > kNarrowest &&
          (widest == nullptr || layout.widths[column] > *widest))
        widest = &layout.widths[column];
    if (widest == nullptr) break;
    --*widest;
  }
  return layout;
}

std::vector<std::string> TextTable::to_lines(const std::vector<std::size_t>& right,
                                             const TextFormat& format) const {
  const Layout plan = layout(format.width);
  const auto line_of = [&](const std::vector<std::string>& row,
                           const std::vector<TextStyle>& styles) {
    std::string line;
    std::size_t columns = 0, waiting = 0;  // blanks are written only before other characters
    for (std::size_t place = 0; place < plan.shown.size(); ++place) {
      const std::size_t k = plan.shown[place];
      const std::size_t padding = plan.widths[k] - std::min(plan.widths[k], columns_of(row[k]));
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
  // A row has as many lines as its longest cell.
  const auto lines_of = [&](const std::vector<std::string>& row,
                            const std::vector<TextStyle>& styles) {
    std::vector<std::vector<std::string>> broken(row.size());
    std::size_t count = 1;
    for (std::size_t k = 0; k < row.size(); ++k) {
      const bool is_long = contains(wrapped_, k) && columns_of(row[k]) > plan.widths[k];
      broken[k] = is_long ? pieces(row[k], plan.widths[k]) : std::vector{row[k]};
      count = std::max(count, contains(plan.shown, k) ? broken[k].size() : 1);
    }
    std::string lines;
    for (std::size_t n = 0; n < count; ++n) {
      std::vector<std::string> cells;
      for (const auto& parts : broken) cells.push_back(n < parts.size() ? parts[n] : "");
      const std::string line = line_of(cells, styles);
      if (n == 0 || !line.empty()) lines += (n == 0 ? "" : "\n") + line;
    }
    return lines;
  };
  std::vector<std::string> lines{
      lines_of(header_, std::vector<TextStyle>(header_.size(), TextStyle::kFaint))};
  for (std::size_t k = 0; k < rows_.size(); ++k) lines.push_back(lines_of(rows_[k], styles_[k]));
  return lines;
}

std::string TextTable::hidden_text(const TextFormat& format) const {
  std::vector<std::string> names;
  for (const std::size_t column : layout(format.width).hidden)
    names.push_back(std::string(trim(header_[column])));
  if (names.empty()) return "";
  return wrapped(fmt::format("Hidden at this width: {}", join(names)), format.width) + "\n";
}

std::string TextTable::to_text(const std::vector<std::size_t>& right,
                               const TextFormat& format) const {
  std::string text;
  for (const std::string& line : to_lines(right, format)) text += line + "\n";
  return text + hidden_text(format);
}

}  // namespace kernelbatch
