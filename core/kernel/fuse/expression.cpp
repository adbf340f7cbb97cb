#include "core/kernel/fuse/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

const std::vector<Operation>& operations() {
  using enum TypeRule;
  static const std::vector<Operation> table{
      {"add", 2, kPromote, "$0 + $1"},
      {"subtract", 2, kPromote, "$0 - $1"},
      {"multiply", 2, kPromote, "$0 * $1"},
      {"divide", 2, kDivide, "$0 / $1"},
      {"floor_divide", 2, kPromote, "_floor_divide($0, $1)"},
      {"remainder", 2, kPromote, "_remainder($0, $1)"},
      {"power", 2, kPromote, "_power($0, $1)"},
      {"maximum", 2, kPromote, "_maximum($0, $1)"},
      {"minimum", 2, kPromote, "_minimum($0, $1)"},
      {"arctan2", 2, kFloat, "atan2($0, $1)"},
      {"hypot", 2, kFloat, "hypot($0, $1)"},
      {"less", 2, kCompare, "$0 < $1"},
      {"less_equal", 2, kCompare, "$0 <= $1"},
      {"greater", 2, kCompare, "$0 > $1"},
      {"greater_equal", 2, kCompare, "$0 >= $1"},
      {"equal", 2, kCompare, "$0 == $1"},
      {"not_equal", 2, kCompare, "$0 != $1"},
      {"logical_and", 2, kLogical, "$0 && $1"},
      {"logical_or", 2, kLogical, "$0 || $1"},
      {"logical_not", 1, kLogical, "!$0"},
      {"bitwise_and", 2, kIntegers, "$0 & $1"},
      {"bitwise_or", 2, kIntegers, "$0 | $1"},
      {"bitwise_xor", 2, kIntegers, "$0 ^ $1"},
      {"left_shift", 2, kIntegers, "$0 << $1"},
      {"right_shift", 2, kIntegers, "$0 >> $1"},
      {"invert", 1, kIntegers, "_invert($0)"},
      {"negative", 1, kPromote, "-$0"},
      {"square", 1, kPromote, "$0 * $0"},
      {"abs", 1, kReal, "_absolute($0)"},
      {"real", 1, kReal, "_real($0)"},
      {"imag", 1, kReal, "_imag($0)"},
      {"conj", 1, kPromote, "_conj($0)"},
      {"isnan", 1, kTest, "isnan($0)"},
      {"isinf", 1, kTest, "isinf($0)"},
      {"isfinite", 1, kTest, "isfinite($0)"},
      {"where", 3, kSelect, "$0 ? $1 : $2"},
      {"sin", 1, kFloat, "sin($0)"},
      {"cos", 1, kFloat, "cos($0)"},
      {"tan", 1, kFloat, "tan($0)"},
      {"asin", 1, kFloat, "asin($0)"},
      {"acos", 1, kFloat, "acos($0)"},
      {"atan", 1, kFloat, "atan($0)"},
      {"sinh", 1, kFloat, "sinh($0)"},
      {"cosh", 1, kFloat, "cosh($0)"},
      {"tanh", 1, kFloat, "tanh($0)"},
      {"exp", 1, kFloat, "exp($0)"},
      {"exp2", 1, kFloat, "exp2($0)"},
      {"expm1", 1, kFloat, "expm1($0)"},
      {"log", 1, kFloat, "log($0)"},
      {"log2", 1, kFloat, "log2($0)"},
      {"log10", 1, kFloat, "log10($0)"},
      {"log1p", 1, kFloat, "log1p($0)"},
      {"sqrt", 1, kFloat, "sqrt($0)"},
      {"cbrt", 1, kFloat, "cbrt($0)"},
      {"floor", 1, kRound, "floor($0)"},
      {"ceil", 1, kRound, "ceil($0)"},
      {"trunc", 1, kRound, "trunc($0)"},
      {"rint", 1, kFloat, "rint($0)"},
  };
  return table;
}

constexpr std::array<std::pair<const char*, ReduceKind>, 9> kReductions{{
    {"sum", ReduceKind::kSum},
    {"prod", ReduceKind::kProd},
    {"max", ReduceKind::kMax},
    {"min", ReduceKind::kMin},
    {"mean", ReduceKind::kMean},
    {"var", ReduceKind::kVar},
    {"std", ReduceKind::kStd},
    {"any", ReduceKind::kAny},
    {"all", ReduceKind::kAll},
}};

bool same(const Node& a, const Node& b) {
  return a.kind == b.kind && a.input == b.input && a.constant == b.constant &&
         a.operation == b.operation && a.dtype == b.dtype && a.reduce == b.reduce &&
         a.axes.all == b.axes.all && a.axes.axes == b.axes.axes &&
         a.axes.keepdims == b.axes.keepdims && a.operands == b.operands;
}

}  // namespace

const Operation* find_operation(const std::string& name) {
  for (const Operation& operation : operations())
    if (operation.name == name) return &operation;
  return nullptr;
}

std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (const Operation& operation : operations()) names.push_back(operation.name);
  for (const auto& [name, kind] : kReductions) names.emplace_back(name);
  return names;
}

bool find_reduction(const std::string& name, ReduceKind& kind) {
  for (const auto& [known, value] : kReductions)
    if (name == known) {
      kind = value;
      return true;
    }
  return false;
}

std::string to_text(ReduceKind kind) {
  for (const auto& [name, value] : kReductions)
    if (value == kind) return name;
  return "";
}

int Graph::add(Node node) {
  for (int id = 0; id < size(); ++id)
    if (same(nodes_[static_cast<std::size_t>(id)], node)) return id;
  nodes_.push_back(std::move(node));
  return size() - 1;
}

Expr apply(const std::string& name, const std::vector<Expr>& operands) {
  const Operation* operation = find_operation(name);
  if (operation == nullptr)
    throw SpecError(
        fmt::format("fuse: unknown function '{}'{}", name, suggestion(name, operation_names())));
  if (static_cast<std::size_t>(operation->arity) != operands.size())
    throw SpecError(fmt::format("fuse: '{}' takes {} operands, {} were given", name,
                                operation->arity, operands.size()));
  Node node;
  node.kind = Node::Kind::kApply;
  node.operation = operation;
  for (const Expr& operand : operands) {
    if (operand.graph != operands[0].graph)
      throw SpecError("fuse: an expression mixes the placeholders of two functions");
    node.operands.push_back(operand.id);
  }
  return {operands[0].graph, operands[0].graph->add(std::move(node))};
}

Expr constant(Graph& graph, const Constant& value) {
  Node node;
  node.kind = Node::Kind::kConstant;
  node.constant = value;
  return {&graph, graph.add(std::move(node))};
}

Expr reduce(ReduceKind kind, const Expr& operand, const ReduceAxes& axes) {
  Node node;
  node.kind = Node::Kind::kReduce;
  node.reduce = kind;
  node.axes = axes;
  node.operands = {operand.id};
  return {operand.graph, operand.graph->add(std::move(node))};
}

Expr astype(const Expr& operand, DType dtype) {
  Node node;
  node.kind = Node::Kind::kCast;
  node.dtype = dtype;
  node.operands = {operand.id};
  return {operand.graph, operand.graph->add(std::move(node))};
}

}  // namespace kernelbatch
