// Inline assembly in a kernel's text: `asm volatile("…" : "=r"(y) : "r"(x) : "memory");`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kernelbatch::host {

/// "+r"(expression)
struct AsmOperand {
  char kind = 'r';  ///< h r l f d n: what the operand's register holds
  bool is_read = false, is_written = false;
  std::string expression;
};

struct AsmStatement {
  std::string code;  ///< the instructions, without quotes and escapes
  std::vector<AsmOperand> operands;
  /// Line ends inside the statement as written: with a backslash before it if the statement is part
  /// of a macro.
  std::string line_ends;
  std::size_t end = 0;  ///< position after the closing parenthesis
};

/// Reads the statement whose word `asm` ends at `at`. Throws UnsupportedError for one that cannot
/// be read: made by macros, or with an unknown constraint.
AsmStatement read_asm(std::string_view text, std::size_t at);

}  // namespace kernelbatch::host
