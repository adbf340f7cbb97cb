#include "core/device/host/text/kernel_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/device/host/ptx/ptx_translation.hpp"
#include "core/device/host/text/asm_statement.hpp"
#include "core/device/host/text/scanner.hpp"
#include "core/device/host/text/shared_memory.hpp"

namespace kernelbatch::host {
namespace {

/// Begin of the callee's name before a launch: `ns::kernel<float, 2>`.
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

/// Line ends as written: with a backslash if part of a macro.
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
    // An untranslatable statement matters only if the preprocessor keeps it.
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
    // Made suitable for a string literal.
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
