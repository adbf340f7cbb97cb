#include "core/device/host/text/kernel_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/device/host/text/asm_statement.hpp"
#include "core/device/host/text/ptx_translation.hpp"
#include "core/device/host/text/scanner.hpp"

namespace kernelbatch::host {
namespace {

constexpr std::string_view kDynamicShared = "KERNELBATCH_DYNAMIC_SHARED(";

/// Whether the `{` behind `before` begins no function: a namespace, or extern "C".
bool opens_file_scope(std::string_view before) {
  static const std::regex kScope(
      R"((?:\bnamespace(?:\s{1,99}[\w:]{1,199})?|\bextern\s{1,99}"C(?:\+\+)?")\s{0,99}$)");
  const std::string_view last =
      before.substr(before.size() - std::min<std::size_t>(before.size(), 500));
  return std::regex_search(last.begin(), last.end(), kScope);
}

/// Dynamic shared memory that is declared outside of functions is another macro's: its pointer has
/// no value before a block begins.
std::string mark_file_scope(const std::string& text) {
  std::string result;
  int inside = 0;  // brackets of functions and the like
  std::vector<bool> is_inside;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = skip_literal(text, at);
    if (end == at && text[at] == '{') {
      is_inside.push_back(!opens_file_scope(std::string_view(text).substr(0, at)));
      inside += is_inside.back() ? 1 : 0;
    } else if (end == at && text[at] == '}' && !is_inside.empty()) {
      inside -= is_inside.back() ? 1 : 0;
      is_inside.pop_back();
    } else if (end == at && inside == 0 &&
               text.compare(at, kDynamicShared.size(), kDynamicShared) == 0) {
      result += "KERNELBATCH_FILE_SHARED(";
      at += kDynamicShared.size();
      continue;
    }
    const std::size_t next = std::max(end, at + 1);
    result.append(text, at, next - at);
    at = next;
  }
  return result;
}

/// `extern __shared__ T name[];` has no counterpart among thread-local variables: it becomes a
/// pointer to the block's dynamic shared memory, or to a reference to it as an array where the text
/// casts the name to a reference (CUB's storage). `static __shared__` is `__shared__`, whose macro
/// has the word.
std::string rewrite_shared(const std::string& text) {
  if (text.find("__shared__") == std::string::npos) return text;
  static const std::regex kStatic(R"(\bstatic\s{1,99}__shared__\b)");
  // Bounded, since std::regex takes some stack for every character.
  static const std::regex kPattern(
      R"(extern\s{1,99}(?:(?:__align__|alignas)\s{0,99}\([^)]{0,99}\)\s{0,99})?__shared__\s{1,99})"
      R"((?:(?:__align__|alignas)\s{0,99}\([^)]{0,99}\)\s{0,99}|volatile\s{1,99}){0,2})"
      R"(([A-Za-z_][\w:<>,\s]{0,199}?)\s{1,99}(?:__align__\s{0,99}\([^)]{0,99}\)\s{0,99})?)"
      R"((\w{1,199})\s{0,99}\[\s{0,99}\]\s{0,99};)");
  std::string result = std::regex_replace(std::regex_replace(text, kStatic, "__shared__"), kPattern,
                                          "KERNELBATCH_DYNAMIC_SHARED($1, $2);");
  if (result.find(kDynamicShared) == std::string::npos) return result;
  result = mark_file_scope(result);
  static const std::regex kCast(
      R"(reinterpret_cast\s{0,9}<[^;()]{1,199}&\s{0,9}>\s{0,9}\(\s{0,9}(\w{1,199})\s{0,9}\))");
  for (std::sregex_iterator cast(text.begin(), text.end(), kCast), end; cast != end; ++cast)
    result = std::regex_replace(result,
                                std::regex(R"((KERNELBATCH_DYNAMIC_SHARED)(\([^;]{1,199}, )" +
                                           (*cast)[1].str() + R"(\);))"),
                                "$1_ARRAY$2");
  return result;
}

/// Where the name before a launch begins: `ns::kernel<float, 2>`.
std::size_t begin_of_callee(std::string_view text) {
  std::size_t at = text.size();
  const auto skip_blanks = [&] {
    while (at > 0 && std::isspace(static_cast<unsigned char>(text[at - 1])) != 0) --at;
  };
  skip_blanks();
  if (at > 0 && text[at - 1] == '>') {
    int depth = 0;
    do {
      --at;
      if (text[at] == '>') ++depth;
      if (text[at] == '<') --depth;
    } while (at > 0 && depth > 0);
    skip_blanks();
  }
  while (at > 0 && (is_word_letter(text[at - 1]) || text[at - 1] == ':')) --at;
  return at;
}

/// Ends of lines as they stand: a backslash before one that is part of a macro.
std::string line_ends_of(std::string_view text) {
  std::string ends;
  for (std::size_t k = 0; k < text.size(); ++k)
    if (text[k] == '\n') ends += k > 0 && text[k - 1] == '\\' ? "\\\n" : "\n";
  return ends;
}

class Rewriter {
 public:
  explicit Rewriter(std::string_view text) : text_(text) {}

  std::string rewritten() {
    while (at_ < text_.size()) {
      if (const std::size_t end = skip_literal(text_, at_); end > at_) {
        copy_to(end);
      } else if (is_word_letter(text_[at_])) {
        word();
      } else if (text_.substr(at_, 3) == "<<<") {
        launch();
      } else {
        copy_to(at_ + 1);
      }
    }
    return result_;
  }

 private:
  void copy_to(std::size_t end) {
    result_ += text_.substr(at_, end - at_);
    at_ = end;
  }

  void word() {
    std::size_t end = at_;
    while (end < text_.size() && is_word_letter(text_[end])) ++end;
    const std::string_view word = text_.substr(at_, end - at_);
    if (word != "asm" && word != "__asm__" && word != "__asm") return copy_to(end);
    std::size_t next = skip_blank(text_, end);
    for (const std::string_view qualifier : {"volatile", "__volatile__", "__volatile"})
      if (text_.substr(next, qualifier.size()) == qualifier) {
        next = skip_blank(text_, next + qualifier.size());
        break;
      }
    if (next >= text_.size() || text_[next] != '(') return copy_to(end);
    // What cannot be translated matters only where the preprocessor leaves it in.
    std::string refusal;
    AsmStatement statement;
    try {
      statement = read_asm(text_, end);
      result_ += translate_ptx(statement) + statement.line_ends;
      at_ = statement.end;
      return;
    } catch (const UnsupportedError& error) {
      refusal = error.what();
    }
    // It becomes a literal.
    for (char& c : refusal)
      if (c == '"' || c == '\\' || c == '\n') c = c == '"' ? '\'' : ' ';
    result_ += fmt::format("do {{ static_assert(false, \"{}\"); }} while (0)", refusal);
    const std::size_t behind = skip_brackets(text_, next);
    at_ = behind == std::string_view::npos ? text_.size() : behind;
    result_ += line_ends_of(text_.substr(end, at_ - end));
  }

  /// kernel<<<a, b>>> → __kernelbatch_child([](auto... args) { kernel(args...); }, a, b)
  void launch() {
    const std::size_t open = at_ + 3;
    std::size_t close = open;
    while (close < text_.size() && text_.substr(close, 3) != ">>>") {
      if (const std::size_t end = skip_literal(text_, close); end > close)
        close = end;
      else if (text_[close] == '(')
        close = std::min(skip_brackets(text_, close), text_.size());
      else
        ++close;
    }
    const std::size_t begin = begin_of_callee(result_);
    if (close >= text_.size() || begin == result_.size()) return copy_to(open);
    const std::string callee(trim(std::string_view(result_).substr(begin)));
    result_.resize(begin);
    result_ += fmt::format(
        "__kernelbatch_child([](auto... __kernelbatch_a) {{ {}(__kernelbatch_a...); }}, {})",
        callee, text_.substr(open, close - open));
    at_ = close + 3;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string result_;
};

}  // namespace

std::string host_text(std::string_view text) {
  const std::string shared = rewrite_shared(std::string(text));
  if (shared.find("asm") == std::string::npos && shared.find("<<<") == std::string::npos)
    return shared;
  return Rewriter(shared).rewritten();
}

}  // namespace kernelbatch::host
