// The parsed form of an expression, shared by its parser and its evaluator only.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/value.hpp"
#include "core/job/spec.hpp"

namespace kernelbatch::detail {

struct ExpressionNode {
  enum class Kind { kConstant, kName, kUnary, kBinary, kCall, kList };

  Kind kind = Kind::kConstant;
  std::string word{};                   ///< name, operator ("not in" is one) or function
  Value constant{};                     ///< of a constant
  std::vector<std::size_t> operands{};  ///< indices into the tree
  std::size_t column = 0;               ///< in the text, from 0
};

struct ExpressionTree {
  std::string text;
  SourcePlace place;
  std::vector<ExpressionNode> nodes{};  ///< operands before what uses them
  std::size_t root = 0;

  /// Throws SpecError: place, message, the text and a caret below the column.
  [[noreturn]] void fail(std::size_t column, std::string_view message) const;
};

/// Throws SpecError for text that is no expression.
ExpressionTree parse_expression(std::string text, SourcePlace place);

}  // namespace kernelbatch::detail
