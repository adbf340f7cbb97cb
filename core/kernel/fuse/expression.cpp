#include "core/kernel/fuse/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/kernel/fuse/fold.hpp"

namespace kernelbatch {
namespace {

const std::vector<Operation>& operations() {
  using enum TypeRule;
  static const std::vector<Operation> table{
      {"add", 2, kPromote, "$0 + $1", kWraps},
      {"subtract", 2, kPromote, "$0 - $1", kWraps | kNoBool},
      {"multiply", 2, kPromote, "$0 * $1", kWraps},
      {"divide", 2, kDivide, "$0 / $1"},
      {"floor_divide", 2, kPromote, "_floor_divide($0, $1)", kRealOnly | kBoolIsInt8},
      {"remainder", 2, kPromote, "_remainder($0, $1)", kRealOnly | kBoolIsInt8},
      {"power", 2, kPromote, "_power($0, $1)", kBoolIsInt8},
      {"maximum", 2, kPromote, "_maximum($0, $1)", kRealOnly},
      {"minimum", 2, kPromote, "_minimum($0, $1)", kRealOnly},
      {"arctan2", 2, kFloat, "atan2($0, $1)", kRealOnly},
      {"hypot", 2, kFloat, "hypot($0, $1)", kRealOnly},
      {"copysign", 2, kFloat, "copysign($0, $1)", kRealOnly},
      {"logaddexp", 2, kFloat, "_logaddexp($0, $1)", kRealOnly},
      {"fmod", 2, kPromote, "_fmod($0, $1)", kRealOnly | kBoolIsInt8},
      {"less", 2, kCompare, "$0 < $1", kRealOnly},
      {"less_equal", 2, kCompare, "$0 <= $1", kRealOnly},
      {"greater", 2, kCompare, "$0 > $1", kRealOnly},
      {"greater_equal", 2, kCompare, "$0 >= $1", kRealOnly},
      {"equal", 2, kCompare, "$0 == $1"},
      {"not_equal", 2, kCompare, "$0 != $1"},
      {"logical_and", 2, kLogical, "$0 && $1"},
      {"logical_or", 2, kLogical, "$0 || $1"},
      {"logical_xor", 2, kLogical, "$0 != $1"},
      {"logical_not", 1, kLogical, "!$0"},
      {"bitwise_and", 2, kIntegers, "$0 & $1"},
      {"bitwise_or", 2, kIntegers, "$0 | $1"},
      {"bitwise_xor", 2, kIntegers, "$0 ^ $1"},
      {"left_shift", 2, kIntegers, "_left_shift($0, $1)", kBoolIsInt8},
      {"right_shift", 2, kIntegers, "_right_shift($0, $1)", kBoolIsInt8},
      {"invert", 1, kIntegers, "_invert($0)"},
      {"negative", 1, kPromote, "-$0", kWraps | kNoBool},
      {"positive", 1, kPromote, "$0", kNoBool},
      {"square", 1, kPromote, "$0 * $0", kWraps | kBoolIsInt8},
      {"sign", 1, kPromote, "_sign($0)", kNoBool},
      {"abs", 1, kReal, "_absolute($0)"},
      {"fabs", 1, kFloat, "_absolute($0)", kRealOnly},
      {"real", 1, kReal, "_real($0)"},
      {"imag", 1, kReal, "_imag($0)"},
      {"angle", 1, kAngle, "_angle($0)"},
      {"conj", 1, kPromote, "_conj($0)", kBoolIsInt8},
      {"erf", 1, kFloat, "erf($0)", kRealOnly},
      {"erfc", 1, kFloat, "erfc($0)", kRealOnly},
      {"isnan", 1, kTest, "_isnan($0)"},
      {"isinf", 1, kTest, "_isinf($0)"},
      {"isfinite", 1, kTest, "_isfinite($0)"},
      {"where", 3, kSelect, "$0 ? $1 : $2"},
      {"sin", 1, kFloat, "sin($0)"},
      {"cos", 1, kFloat, "cos($0)"},
      {"tan", 1, kFloat, "tan($0)"},
      {"asin", 1, kFloat, "asin($0)", kRealOnly},
      {"acos", 1, kFloat, "acos($0)", kRealOnly},
      {"atan", 1, kFloat, "atan($0)", kRealOnly},
      {"sinh", 1, kFloat, "sinh($0)"},
      {"cosh", 1, kFloat, "cosh($0)"},
      {"tanh", 1, kFloat, "tanh($0)"},
      {"asinh", 1, kFloat, "asinh($0)", kRealOnly},
      {"acosh", 1, kFloat, "acosh($0)", kRealOnly},
      {"atanh", 1, kFloat, "atanh($0)", kRealOnly},
      {"exp", 1, kFloat, "exp($0)"},
      {"exp2", 1, kFloat, "exp2($0)", kRealOnly},
      {"expm1", 1, kFloat, "expm1($0)", kRealOnly},
      {"log", 1, kFloat, "log($0)"},
      {"log2", 1, kFloat, "log2($0)", kRealOnly},
      {"log10", 1, kFloat, "log10($0)"},
      {"log1p", 1, kFloat, "log1p($0)", kRealOnly},
      {"sqrt", 1, kFloat, "sqrt($0)"},
      {"cbrt", 1, kFloat, "cbrt($0)", kRealOnly},
      {"deg2rad", 1, kFloat, "_deg2rad($0)", kRealOnly},
      {"rad2deg", 1, kFloat, "_rad2deg($0)", kRealOnly},
      {"floor", 1, kRound, "floor($0)", kRealOnly},
      {"ceil", 1, kRound, "ceil($0)", kRealOnly},
      {"trunc", 1, kRound, "trunc($0)", kRealOnly},
      {"rint", 1, kFloat, "rint($0)", kRealOnly},
      {"round", 1, kRound, "rint($0)", kRealOnly | kBoolIsHalf},
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

/// Bitwise comparison: 0.0 and -0.0 are different constants.
bool same(const Constant& a, const Constant& b) {
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  if (a.index() != b.index()) return false;
  if (const auto* real = std::get_if<double>(&a)) return bits(*real) == bits(std::get<double>(b));
  if (const auto* x = std::get_if<std::complex<double>>(&a)) {
    const auto& y = std::get<std::complex<double>>(b);
    return bits(x->real()) == bits(y.real()) && bits(x->imag()) == bits(y.imag());
  }
  return a == b;
}

bool same(const Node& a, const Node& b) {
  return a.kind == b.kind && a.input == b.input && same(a.constant, b.constant) &&
         a.operation == b.operation && a.dtype == b.dtype && a.reduce == b.reduce &&
         a.axes == b.axes && a.operands == b.operands;
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

/// Why a NumPy function is not supported; empty for other names.
static std::string why_unknown(const std::string& name) {
  static const std::map<std::string, std::string> kReasons{
      {"argmax", "it gives a place, not a value; write a reduction variant over pairs"},
      {"argmin", "it gives a place, not a value; write a reduction variant over pairs"},
      {"cumsum", "each result needs all elements before it; write a raw variant with a scan"},
      {"cumprod", "each result needs all elements before it; write a raw variant with a scan"},
      {"sort", "elements do not change places in one kernel"},
      {"median", "it needs the elements in order"},
      {"dot", "write sum(x * y, axis=...), or a library variant"},
      {"matmul", "write a raw or library variant"}};
  const auto found = kReasons.find(name);
  return found == kReasons.end() ? "" : found->second;
}

int Graph::add(Node node) {
  for (int id = 0; id < size(); ++id)
    if (same(nodes_[static_cast<std::size_t>(id)], node)) return id;
  nodes_.push_back(std::move(node));
  return size() - 1;
}

Expr apply(const std::string& name, const std::vector<Expr>& operands) {
  const Operation* operation = find_operation(name);
  if (operation == nullptr) {
    if (const std::string reason = why_unknown(name); !reason.empty())
      throw SpecError(fmt::format("fuse: '{}' is not there: {}", name, reason));
    const std::string near = nearest_name(name, operation_names());
    throw SpecError(fmt::format("fuse: unknown function '{}'{}", name,
                                near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near)));
  }
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
  Graph& graph = *operands[0].graph;
  std::vector<Constant> numbers;
  for (const int id : node.operands)
    if (graph.node(id).kind == Node::Kind::kConstant) numbers.push_back(graph.node(id).constant);
  if (numbers.size() == operands.size())
    if (const std::optional<Constant> value = fold(name, numbers)) return constant(graph, *value);
  return {&graph, graph.add(std::move(node))};
}

Expr constant(Graph& graph, const Constant& value) {
  Node node;
  node.kind = Node::Kind::kConstant;
  node.constant = value;
  return {&graph, graph.add(std::move(node))};
}

Expr reduce(ReduceKind kind, const Expr& operand, const ReduceOptions& axes) {
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
