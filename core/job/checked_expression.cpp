#include "core/job/checked_expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/quantity.hpp"
#include "core/base/text.hpp"

namespace kernelbatch::detail {
namespace {

constexpr auto kPrefix = ExpressionOperator::Position::kPrefix;
constexpr auto kInfix = ExpressionOperator::Position::kInfix;
constexpr auto kBeforeList = ExpressionOperator::Position::kBeforeList;
constexpr auto kRight = ExpressionOperator::Associativity::kRight;
constexpr auto kChain = ExpressionOperator::Associativity::kChain;

/// The meaning is the usual spelling.
constexpr std::array<ExpressionOperator, 20> kOperators{{
    {"or", "or", 1},
    {"and", "and", 2},
    {"not", "not", 3, kPrefix},
    {"==", "==", 4, kInfix, kChain},
    {"!=", "!=", 4, kInfix, kChain},
    {"<", "<", 4, kInfix, kChain},
    {"<=", "<=", 4, kInfix, kChain},
    {">", ">", 4, kInfix, kChain},
    {">=", ">=", 4, kInfix, kChain},
    {"in", "in", 4, kBeforeList, kChain},
    {"not in", "not in", 4, kBeforeList, kChain},
    {"+", "+", 5},
    {"-", "-", 5},
    {"*", "*", 6},
    {"/", "/", 6},
    {"%", "%", 6},
    {"+", "+", 7, kPrefix},
    {"-", "-", 7, kPrefix},
    {"^", "^", 8, kInfix, kRight},
    {"**", "^", 8, kInfix, kRight},
}};
constexpr std::array<ForeignOperator, 6> kForeign{{
    {"=", "compare with '=='"},
    {"!", "write 'not'"},
    {"&", "write 'and'"},
    {"&&", "write 'and'"},
    {"|", "write 'or'"},
    {"||", "write 'or'"},
}};
constexpr ExpressionLanguage kLanguage{.operators = kOperators, .foreign = kForeign};

const std::vector<std::string>& functions() {
  static const std::vector<std::string> names{"min", "max", "abs", "ceil", "floor", "log2"};
  return names;
}

Value read_number(const ExpressionTree& tree, const ExpressionNode& node) {
  try {
    if (const auto number = read_signed_number(node.word))
      return std::visit([](auto written) { return Value(written); }, *number);
  } catch (const SpecError& error) {
    tree.fail(node.column, error.what());
  }
  tree.fail(node.column, fmt::format("'{}' is not a number", node.word));
}

void check_call(const ExpressionTree& tree, const ExpressionNode& node) {
  const std::vector<std::string>& known = functions();
  if (std::find(known.begin(), known.end(), node.word) == known.end())
    tree.fail(node.column,
              fmt::format("unknown function '{}'{}", node.word, suggestion(node.word, known)));
  const bool takes_many = node.word == "min" || node.word == "max";
  const std::size_t count = node.operands.size();
  if (count == 0 || (!takes_many && count != 1))
    tree.fail(node.column,
              fmt::format("{} takes {}, not {}", node.word,
                          takes_many ? "one argument or more" : "one argument", count));
}

}  // namespace

std::vector<const ExpressionNode*> CheckedExpression::names() const {
  std::vector<const ExpressionNode*> names;
  for (std::size_t k = 0; k < tree.nodes.size(); ++k)
    if (tree[k].kind == ExpressionNode::Kind::kName && !constants[k]) names.push_back(&tree[k]);
  return names;
}

std::unique_ptr<const CheckedExpression> check_expression(std::string text, SourcePlace place) {
  ExpressionTree tree = parse_expression(kLanguage, std::move(text), std::move(place));
  std::vector<std::optional<Value>> constants(tree.nodes.size());
  for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
    const ExpressionNode& node = tree[k];
    if (node.kind == ExpressionNode::Kind::kChain)
      tree.fail(node.operator_columns[1], "comparisons do not chain: join two with 'and'");
    if (node.kind == ExpressionNode::Kind::kCall) check_call(tree, node);
    if (node.kind == ExpressionNode::Kind::kNumber) constants[k] = read_number(tree, node);
    if (node.kind == ExpressionNode::Kind::kText) constants[k] = node.word;
    if (node.kind == ExpressionNode::Kind::kName && (node.word == "true" || node.word == "false"))
      constants[k] = node.word == "true";
  }
  return std::make_unique<const CheckedExpression>(
      CheckedExpression{std::move(tree), std::move(constants)});
}

}  // namespace kernelbatch::detail
