// A parsed and checked expression of jobs, shared by parser and evaluator only.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/expression/tree.hpp"
#include "core/base/value.hpp"

namespace kernelbatch::detail {

/// Operators, functions and constants are valid in jobs, and comparisons do not chain.
struct CheckedExpression {
  ExpressionTree tree;
  std::vector<std::optional<Value>> constants;  ///< of nodes without names

  std::size_t root() const { return tree.roots.front(); }
  /// Nodes that are parameter names, in order of appearance.
  std::vector<const ExpressionNode*> names() const;
};

/// Throws SpecError for text that is not an expression of jobs.
std::unique_ptr<const CheckedExpression> check_expression(std::string text, SourcePlace place);

}  // namespace kernelbatch::detail
