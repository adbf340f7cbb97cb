#include "core/device/host/text/asm_statement.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/device/host/text/scanner.hpp"

namespace kernelbatch::host {
namespace {

class Reader {
 public:
  Reader(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  AsmStatement read() {
    const std::size_t begin = at_;
    AsmStatement statement;
    while (is_word_letter(peek())) word();  // volatile, inline
    expect('(');
    statement.code = literals();
    for (int list = 0; take(':'); ++list) {
      if (list > 2) break;
      while (peek() == '"' || peek() == '[') {
        if (list < 2)
          statement.operands.push_back(operand());
        else
          literals();
        if (!take(',')) break;
      }
    }
    expect(')');
    statement.end = at_;
    for (std::size_t k = begin; k < at_; ++k)
      if (text_[k] == '\n') statement.line_ends += text_[k - 1] == '\\' ? "\\\n" : "\n";
    return statement;
  }

 private:
  char peek() {
    at_ = skip_blank(text_, at_);
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char wanted) {
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!take(wanted))
      throw UnsupportedError(
          "needs cuda: inline PTX that is not written out (made by a macro) is not on the host "
          "device");
  }
  std::string word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word_letter(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  /// Concatenates adjacent literals.
  std::string literals() {
    std::string joined;
    if (peek() != '"' && text_.substr(at_, 2) != "R\"") expect('"');
    for (;;) {
      const bool is_raw = text_.substr(at_, 2) == "R\"";
      if (peek() != '"' && !is_raw) return joined;
      const std::size_t end = skip_literal(text_, at_);
      const std::string_view literal = text_.substr(at_, end - at_);
      if (is_raw) {
        const std::size_t open = literal.find('('), close = literal.rfind(')');
        joined += literal.substr(open + 1, close - open - 1);
      } else {
        for (std::size_t k = 1; k + 1 < literal.size(); ++k) {
          if (literal[k] != '\\') {
            joined += literal[k];
            continue;
          }
          const char escaped = literal[++k];
          if (escaped == '\n') continue;  // the literal continues on the next line
          joined += escaped == 'n' ? '\n' : escaped == 't' ? ' ' : escaped == 'r' ? ' ' : escaped;
        }
      }
      at_ = end;
      peek();
    }
  }

  AsmOperand operand() {
    if (peek() == '[')
      throw UnsupportedError("needs cuda: named operands of inline PTX are not on the host device");
    AsmOperand operand;
    const std::string constraint = literals();
    for (const char c : constraint) {
      if (c == '=' || c == '+') operand.is_written = true;
      if (c == '+') operand.is_read = true;
      if (c != '=' && c != '+' && c != '&') operand.kind = c;
    }
    if (!operand.is_written) operand.is_read = true;
    if (std::string_view("hrlfdn").find(operand.kind) == std::string_view::npos)
      throw UnsupportedError(fmt::format(
          "needs cuda: the constraint \"{}\" of inline PTX is not on the host device", constraint));
    peek();
    const std::size_t end = skip_brackets(text_, at_);
    if (end == std::string_view::npos || text_[at_] != '(') expect('(');
    // On one line: the statement may be part of a macro.
    for (const char c : text_.substr(at_, end - at_))
      if (c != '\n' && c != '\\') operand.expression += c;
    at_ = end;
    return operand;
  }

  std::string_view text_;
  std::size_t at_;
};

}  // namespace

AsmStatement read_asm(std::string_view text, std::size_t at) { return Reader(text, at).read(); }

}  // namespace kernelbatch::host
