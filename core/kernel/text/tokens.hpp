// Analysis of kernel text without parsing C++.
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

/// Comments and the contents of literals, including raw strings, are omitted. `1'000` is one token.
std::vector<Token> read_tokens(std::string_view text);

/// The texts of all tokens.
std::vector<std::string> tokens_of(std::string_view text);

/// True if the identifier occurs.
bool mentions(std::string_view text, std::string_view identifier);

/// True if the text definitely assigns all of `name` before any read: its first occurrence is an
/// unconditional `name = …` outside every brace, and nothing before it leaves the text. Then its
/// old value need not be loaded.
bool assigns_first(std::string_view text, std::string_view name);

/// True if the text may be left early: it has `return` or `continue`, or a `break` outside a loop
/// or switch.
bool may_leave(std::string_view text);

/// Wraps kernel statements so that `return`, `continue` and `break` end only them; the surrounding
/// code continues. Begins and ends with separate lines; errors point into `name`.
std::string enclosed(std::string_view text, std::string_view name);

/// True if the text is a block of statements rather than one expression.
bool is_statement_block(std::string_view text);

}  // namespace kernelbatch
