// The words of an expression, shared by its parser only.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/expression/tree.hpp"

namespace kernelbatch::detail {

struct ExpressionToken {
  enum class Kind { kNumber, kText, kName, kSymbol, kEnd };
  Kind kind = Kind::kEnd;
  std::string text{};
  std::size_t column = 0;
};

/// All tokens of the tree's text; the last one is kEnd. An unknown character is a symbol. Throws
/// SpecError for unclosed quotes and brackets.
std::vector<ExpressionToken> expression_tokens(const ExpressionLanguage& language,
                                               const ExpressionTree& tree);

}  // namespace kernelbatch::detail
