// The words of an expression, shared by its parser only.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/job/expression_tree.hpp"

namespace kernelbatch::detail {

struct Token {
  enum class Kind { kNumber, kText, kName, kSymbol, kEnd };
  Kind kind = Kind::kEnd;
  std::string text{};
  std::size_t column = 0;
};

/// `==`, `!=`, `<=`, `>=`.
bool is_comparison_pair(std::string_view symbol) noexcept;

/// Cuts the text of a tree, which must outlive it, into tokens.
class ExpressionLexer {
 public:
  explicit ExpressionLexer(const ExpressionTree& tree) : tree_(tree) {}

  /// The next token; kEnd for ever at the end. Throws SpecError for a character of no token.
  Token next();

 private:
  [[noreturn]] void refuse_character(char c) const;
  Token read_word(Token::Kind kind);

  const ExpressionTree& tree_;
  std::size_t at_ = 0;
};

}  // namespace kernelbatch::detail
