// What can be found out about kernel text without parsing C++.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kernelbatch {

/// One identifier, number or punctuation character of C++ text; `==` is one token.
struct Token {
  std::string_view text;      ///< part of the text that was read, which must outlive it
  std::size_t at = 0;         ///< where it begins there
  bool in_directive = false;  ///< on a line of the preprocessor, or a continuation of one
};

/// Comments and the insides of literals, raw strings included, are left out. `1'000` is one token.
std::vector<Token> read_tokens(std::string_view text);

/// The texts of all tokens.
std::vector<std::string> tokens_of(std::string_view text);

/// Whether the identifier occurs.
bool mentions(std::string_view text, std::string_view identifier);

/// Whether the text surely assigns all of `name` before anything reads it: its first occurrence is
/// an unconditional `name = …` outside every brace, and nothing before it leaves the text. Then its
/// old value need not be loaded.
bool assigns_first(std::string_view text, std::string_view name);

/// Whether the text may end before its end: it has `return` or `continue`, or a `break` but nothing
/// to break out of.
bool may_leave(std::string_view text);

/// The text of kernel statements as a body of its own, which `return`, `continue` and `break` end,
/// and nothing else: what stands around it goes on. Begins and ends with lines of its own; errors
/// point into `name`.
std::string enclosed(std::string_view text, std::string_view name);

/// Whether the text is a block of statements rather than one expression.
bool is_statement_block(std::string_view text);

}  // namespace kernelbatch
