#include "core/kernel/program/diagnostic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/process.hpp"
#include "core/base/text.hpp"
#include "core/base/text_cursor.hpp"

namespace kernelbatch {
namespace {

/// 0 if too large for a line or column number.
int number_of(std::string_view digits) {
  constexpr std::size_t kMostDigits = 9;
  return digits.size() <= kMostDigits ? std::stoi(std::string(digits)) : 0;
}

/// `#line NUMBER "FILE"`.
struct LineMark {
  std::string_view number, file;
};
std::optional<LineMark> line_mark(std::string_view line) {
  TextCursor cursor(line);
  cursor.take_blanks();
  if (!cursor.take("#")) return {};
  cursor.take_blanks();
  if (!cursor.take("line") || cursor.take_blanks().empty()) return {};
  const std::string_view number = cursor.take_digits();
  if (number.empty() || cursor.take_blanks().empty() || !cursor.take("\"")) return {};
  const std::string_view file = cursor.take_while([](char c) { return c != '"'; });
  if (!cursor.take("\"") || !without_blank_end(cursor.rest()).empty()) return {};
  return LineMark{number, file};
}

/// True for g++'s "In function 'f'", "In member function" and "At global scope".
bool is_context(std::string_view words) {
  if (words == "At global scope") return true;
  constexpr std::string_view kIn = "In ", kFunction = "function";
  if (!words.starts_with(kIn)) return false;
  const std::size_t end = words.find(kFunction);
  if (end == std::string_view::npos) return false;
  const std::string_view kind = words.substr(kIn.size(), std::max(end, kIn.size()) - kIn.size());
  const std::string_view behind = words.substr(end + kFunction.size());
  return std::ranges::all_of(kind, [](char c) { return c == ' ' || (c >= 'a' && c <= 'z'); }) &&
         (behind.empty() || behind.front() == ' ');
}

/// The file of "FILE: In function 'f':"; empty for other lines.
std::string_view file_of_context(std::string_view line) {
  if (!line.ends_with(':')) return {};
  line.remove_suffix(1);
  const std::size_t colon = line.find(": ");
  if (colon == std::string_view::npos || !is_context(line.substr(colon + 2))) return {};
  return line.substr(0, colon);
}

/// True for "  12 | code" and "     | ^~~".
bool is_copied_code(std::string_view line) {
  TextCursor cursor(line);
  const auto spaces = cursor.take_while([](char c) { return c == ' '; });
  return cursor.take_digits().empty() ? !spaces.empty() && cursor.take("|") : cursor.take(" |");
}

/// Lines of a source by the file names and numbers of its `#line`s.
class NamedLines {
 public:
  explicit NamedLines(const KernelSource& source) {
    std::string file = source.name + ".cu";
    int number = 1;
    for (const std::string& line : split(source.text, '\n')) {
      if (const auto mark = line_mark(line)) {
        number = number_of(mark->number);
        file = mark->file;
      } else {
        lines_[{file, number++}] = line;
      }
    }
  }
  const std::string* find(const std::string& file, int number) const {
    const auto found = lines_.find({file, number});
    return found == lines_.end() ? nullptr : &found->second;
  }
  bool knows(const std::string& file) const {
    const auto found = lines_.lower_bound({file, 0});
    return found != lines_.end() && found->first.first == file;
  }

 private:
  std::map<std::pair<std::string, int>, std::string> lines_;
};

struct Diagnostic {
  std::string file, kind, text;
  int line = 0;
  std::size_t column = 0;  ///< from 1; 0 = unknown

  std::string to_text(const NamedLines& lines) const {
    std::string result = column > 0
                             ? fmt::format("{}:{}:{}: {}: {}\n", file, line, column, kind, text)
                             : fmt::format("{}:{}: {}: {}\n", file, line, kind, text);
    const std::string* found = lines.find(file, line);
    if (found == nullptr) return result;
    result += "  " + *found + "\n";
    if (column == 0 || column > found->size() + 1) return result;
    // Tabs are kept, so that the caret is below its character.
    std::string before = found->substr(0, column - 1);
    std::ranges::replace_if(
        before, [](char c) { return c != '\t'; }, ' ');
    return result + "  " + before + "^\n";
  }
};

/// Reads log lines one by one, with lookahead.
class LogReader {
 public:
  LogReader(const std::string& log, const NamedLines& lines)
      : rest_(split(log, '\n')), lines_(lines) {}

  std::string read() {
    std::string result;
    for (; at_ < rest_.size(); ++at_) {
      if (is_noise(rest_[at_])) continue;
      if (const auto found = gcc_style(rest_[at_]); found.line > 0) {
        result += found.to_text(lines_);
      } else if (const auto nvrtc = nvrtc_style(); nvrtc.line > 0) {
        if (nvrtc.kind == "error" || nvrtc.file != "generated") result += nvrtc.to_text(lines_);
      } else if (!trim(rest_[at_]).empty()) {
        result += rest_[at_] + "\n";
      }
    }
    return result;
  }

 private:
  bool is_noise(const std::string& line) const {
    const std::string_view file = file_of_context(line);
    if (!file.empty()) return lines_.knows(std::string(file));
    return line.starts_with("In file included from ") || is_copied_code(line) ||
           line.find(": note: in definition of macro ") != std::string::npos ||
           line.find(": note: in expansion of macro ") != std::string::npos ||
           line.starts_with("Remark: The warnings can be suppressed") ||
           line.find(" detected in the compilation of \"") != std::string::npos;
  }

  /// "FILE:LINE:COLUMN: KIND: TEXT".
  Diagnostic gcc_style(std::string_view line) const {
    TextCursor cursor(line);
    const std::string file(cursor.take_while([](char c) { return c != ':'; }));
    if (!cursor.take(":")) return {};
    const std::string_view number = cursor.take_digits();
    if (number.empty() || !cursor.take(":")) return {};
    const std::string_view column = cursor.take_digits();
    if (column.empty() || !cursor.take(": ")) return {};
    const std::string kind(cursor.take_one_of({"fatal error", "error", "warning", "note"}));
    if (kind.empty() || !cursor.take(": ") || !lines_.knows(file)) return {};
    return {file, kind, std::string(cursor.rest()), number_of(number),
            static_cast<std::size_t>(number_of(column))};
  }

  /// "FILE(LINE): KIND: TEXT" or "FILE(LINE): KIND #NUMBER: TEXT".
  Diagnostic nvrtc_message(std::string_view line) const {
    for (std::size_t open = line.find('('); open != std::string_view::npos;
         open = line.find('(', open + 1)) {
      TextCursor cursor(line, open + 1);
      const std::string_view number = cursor.take_digits();
      if (number.empty() || !cursor.take("): ")) continue;
      const std::string kind(
          cursor.take_one_of({"catastrophic error", "error", "warning", "remark"}));
      if (kind.empty()) continue;
      if (cursor.take(" #")) cursor.take_while([](char c) { return c != ':'; });
      const std::string file(line.substr(0, open));
      if (cursor.take(": ") && lines_.knows(file))
        return {file, kind, std::string(cursor.rest()), number_of(number), 0};
    }
    return {};
  }

  /// The column is determined from the copied line and the caret below it.
  Diagnostic nvrtc_style() {
    Diagnostic found = nvrtc_message(rest_[at_]);
    if (found.line == 0) return found;
    constexpr std::size_t kIndent = 2;
    for (std::size_t k = at_ + 1; k < std::min(at_ + 3, rest_.size()); ++k)
      if (trim(rest_[k]) == "^") {
        found.column = std::max(rest_[k].find('^') + 1, kIndent) - kIndent;
        at_ = k;
        break;
      }
    return found;
  }

  std::vector<std::string> rest_;
  const NamedLines& lines_;
  std::size_t at_ = 0;
};

}  // namespace

std::string readable_log(const std::string& log, const KernelSource& source) {
  const NamedLines lines(source);
  return LogReader(log, lines).read();
}

CompileError explained(const CompileError& error, const KernelSource& source) {
  std::string log = readable_log(error.log(), source);
  const auto wanted = environment("KERNELBATCH_DUMP_SOURCE");
  if (wanted && *wanted != "0") log += "source:\n" + numbered(error.source());
  // The first error follows the headline directly: tables show one line.
  std::string headline = split(error.what(), '\n').front();
  if (!headline.ends_with(":")) headline += ":";
  return {headline + " " + std::string(trim(log)), log, error.source()};
}

std::string numbered(std::string_view text) {
  const std::vector<std::string> lines = split(text, '\n');
  const std::size_t width = std::to_string(lines.size()).size();
  std::string result;
  for (std::size_t k = 0; k < lines.size(); ++k)
    result += fmt::format("{:>{}} | {}\n", k + 1, width, lines[k]);
  return result;
}

}  // namespace kernelbatch
