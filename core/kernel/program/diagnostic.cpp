#include "core/kernel/program/diagnostic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>
#include <utility>
#include <vector>

#include "core/base/process.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

/// std::regex takes some stack for every character: a line longer than this stays as it is.
constexpr std::size_t kLongestLine = 2000;

bool matches(const std::string& line, std::smatch& match, const std::regex& pattern) {
  return line.size() <= kLongestLine && std::regex_match(line, match, pattern);
}

/// 0 for what is too large for the number of a line or column.
int number_of(const std::string& digits) {
  constexpr std::size_t kMostDigits = 9;
  return digits.size() <= kMostDigits ? std::stoi(digits) : 0;
}

/// Lines of a source under the names and numbers that its `#line`s give them.
class NamedLines {
 public:
  explicit NamedLines(const KernelSource& source) {
    static const std::regex kLine(R"re(\s*#\s*line\s+(\d+)\s+"([^"]*)"\s*)re");
    std::string file = source.name + ".cu";
    int number = 1;
    for (const std::string& line : split(source.text, '\n')) {
      std::smatch match;
      if (line.find("#") != std::string::npos && matches(line, match, kLine)) {
        number = number_of(match[1]);
        file = match[2];
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
    // Tabs stay tabs, so that the caret stands below its character.
    std::string before = found->substr(0, column - 1);
    std::ranges::replace_if(
        before, [](char c) { return c != '\t'; }, ' ');
    return result + "  " + before + "^\n";
  }
};

/// Takes log lines one by one, with a look at those that follow.
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
    static const std::regex kContext(R"(^(.+): (In [a-z ]*function( .*)?|At global scope):$)");
    std::smatch match;
    if (matches(line, match, kContext)) return lines_.knows(match[1]);
    static const std::regex kMacro(
        R"(^.*: note: in (definition|expansion) of macro .*$|^In file included from .*$|^ *\d* \|.*$)");
    if (matches(line, match, kMacro)) return true;
    return line.starts_with("Remark: The warnings can be suppressed") ||
           line.find(" detected in the compilation of \"") != std::string::npos;
  }

  Diagnostic gcc_style(const std::string& line) const {
    static const std::regex kPattern(
        R"(^([^:]+):(\d+):(\d+): (fatal error|error|warning|note): (.*)$)");
    std::smatch match;
    if (!matches(line, match, kPattern) || !lines_.knows(match[1])) return {};
    return {match[1], match[4], match[5], number_of(match[2]),
            static_cast<std::size_t>(number_of(match[3]))};
  }

  /// Its own copy of the line and the caret below it tell the column.
  Diagnostic nvrtc_style() {
    static const std::regex kPattern(
        R"(^(.+)\((\d+)\): (catastrophic error|error|warning|remark)(?: #[^:]*)?: (.*)$)");
    std::smatch match;
    if (!matches(rest_[at_], match, kPattern) || !lines_.knows(match[1])) return {};
    Diagnostic found{match[1], match[3], match[4], number_of(match[2]), 0};
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
  // The first error follows the headline at once: tables show one line.
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
