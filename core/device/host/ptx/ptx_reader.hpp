// Cursor over PTX: white space and comments are skipped, lines are counted.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/device/host/ptx/ptx_code.hpp"

namespace kernelbatch::host {

class PtxReader {
 public:
  explicit PtxReader(std::string_view text) : text_(text) {}

  bool at_end();
  /// Line of the next token.
  int line();
  /// The next character; NUL at the end.
  char peek();
  bool take(char wanted);
  /// Takes a word such as ".reg" if it comes next and ends there.
  bool take_word(std::string_view wanted);
  void expect(char wanted);
  /// A name: letters, digits, `_ $ %`, and dots if it begins with `%`.
  std::string name();
  /// Everything up to white space or one of these characters.
  std::string until(std::string_view ends);
  /// The rest of the line.
  std::string rest_of_line();
  void skip_braces();
  std::string number();
  long long integer();
  /// `"text"`, without the quotes.
  std::string literal();

  PtxInstruction instruction();
  /// The variables of a declaration whose space was read: `.align 8 .b8 a[4], b<3>`. `ends` are the
  /// characters that end it.
  std::vector<PtxVariable> variables(std::string space, std::string_view ends);
  /// `(.param .b32 a, .reg .u32 b)`; nothing if there is no bracket.
  std::vector<PtxVariable> parameters();
  /// One of a body's statements.
  PtxStatement statement();

  /// Throws SpecError with the line of the next token.
  [[noreturn]] void fail(const std::string& what);

 private:
  void skip();
  void parenthesis();
  void labelled(PtxStatement& result);
  PtxOperand operand();
  PtxOperand address();
  std::vector<PtxInitial> initial_values();
  PtxVariable variable(const PtxVariable& common);

  std::string_view text_;
  std::size_t at_ = 0, counted_to_ = 0;
  int line_ = 1;
};

}  // namespace kernelbatch::host
