#include "core/kernel/fuse/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/expression_tree.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

constexpr std::array<std::pair<const char*, const char*>, 12> kAliases{{{"arcsin", "asin"},
                                                                        {"arccos", "acos"},
                                                                        {"arctan", "atan"},
                                                                        {"atan2", "arctan2"},
                                                                        {"absolute", "abs"},
                                                                        {"fabs", "abs"},
                                                                        {"pow", "power"},
                                                                        {"mod", "remainder"},
                                                                        {"amax", "max"},
                                                                        {"amin", "min"},
                                                                        {"conjugate", "conj"},
                                                                        {"bitwise_not", "invert"}}};

constexpr auto kPrefix = ExpressionOperator::Position::kPrefix;
constexpr auto kInfix = ExpressionOperator::Position::kInfix;
constexpr auto kRight = ExpressionOperator::Associativity::kRight;
constexpr auto kChain = ExpressionOperator::Associativity::kChain;

/// A meaning is the name of an operation; the sign that changes nothing has none.
constexpr std::array<ExpressionOperator, 21> kOperators{{
    {"<", "less", 1, kInfix, kChain},
    {"<=", "less_equal", 1, kInfix, kChain},
    {">", "greater", 1, kInfix, kChain},
    {">=", "greater_equal", 1, kInfix, kChain},
    {"==", "equal", 1, kInfix, kChain},
    {"!=", "not_equal", 1, kInfix, kChain},
    {"|", "bitwise_or", 2},
    {"^", "bitwise_xor", 3},
    {"&", "bitwise_and", 4},
    {"<<", "left_shift", 5},
    {">>", "right_shift", 5},
    {"+", "add", 6},
    {"-", "subtract", 6},
    {"*", "multiply", 7},
    {"/", "divide", 7},
    {"//", "floor_divide", 7},
    {"%", "remainder", 7},
    {"+", "", 8, kPrefix},
    {"-", "negative", 8, kPrefix},
    {"~", "invert", 8, kPrefix},
    {"**", "power", 9, kInfix, kRight},
}};
constexpr std::array<ForeignOperator, 7> kForeign{{
    {"=", "compare with '=='"},
    {"!", "write '~'"},
    {"not", "write '~'"},
    {"&&", "write '&', which binds tighter than comparisons"},
    {"and", "write '&', which binds tighter than comparisons"},
    {"||", "write '|', which binds tighter than comparisons"},
    {"or", "write '|', which binds tighter than comparisons"},
}};
constexpr ExpressionLanguage kLanguage{
    .operators = kOperators, .foreign = kForeign, .context = "fuse: ", .has_tuples = true};

/// Makes the graph of a tree.
class GraphBuilder {
 public:
  GraphBuilder(const ExpressionTree& tree, const std::vector<std::string>& names)
      : tree_(tree), names_(names) {
    graph_.inputs = static_cast<int>(names.size());
    for (int k = 0; k < graph_.inputs; ++k) {
      Node node;
      node.kind = Node::Kind::kInput;
      node.input = k;
      inputs_.push_back(graph_.add(node));
    }
  }

  Graph build() {
    for (const std::size_t root : tree_.roots) graph_.outputs.push_back(value(root).id);
    return std::move(graph_);
  }

 private:
  using Kind = ExpressionNode::Kind;

  Expr value(std::size_t index) {
    const ExpressionNode& node = tree_[index];
    switch (node.kind) {
      case Kind::kNumber:
        return constant(graph_, number(node));
      case Kind::kName:
        return named(node);
      case Kind::kUnary:
        return unary(node);
      case Kind::kBinary:
        return binary(node);
      case Kind::kChain:
        refuse_chain(node);
      case Kind::kCall:
        return call(node);
      case Kind::kOption:
        tree_.fail(node.column, fmt::format("unexpected option '{}'", node.word));
      default:
        break;
    }
    const bool is_text = node.kind == Kind::kText;
    tree_.fail(node.column, is_text ? "text is no operand" : "a tuple stands only after 'axis='");
  }

  /// Puts the caret under what apply() refuses.
  Expr apply_at(std::size_t column, std::string_view name, const std::vector<Expr>& operands) {
    try {
      return kernelbatch::apply(std::string(name), operands);
    } catch (const SpecError& error) {
      const std::string_view what = error.message();
      tree_.fail(column, what.starts_with("fuse: ") ? what.substr(6) : what);
    }
  }

  Constant number(const ExpressionNode& node) const {
    const std::string& word = node.word;
    if (word.find_first_not_of("0123456789") == std::string::npos) return whole(node);
    const bool is_imaginary = word.ends_with('j');
    const char* end = word.data() + word.size() - (is_imaginary ? 1 : 0);
    double real = 0;
    const auto parsed = std::from_chars(word.data(), end, real);
    if (parsed.ec != std::errc{} || parsed.ptr != end)
      tree_.fail(node.column, fmt::format("'{}' is not a number", word));
    if (is_imaginary) return std::complex<double>(0, real);
    return real;
  }

  Constant whole(const ExpressionNode& node) const {
    WideInteger result = 0;
    for (const char digit : node.word)
      if (__builtin_mul_overflow(result, WideInteger{10}, &result) ||
          __builtin_add_overflow(result, WideInteger{digit - '0'}, &result))
        tree_.fail(node.column, fmt::format("'{}' is an integer of more than 127 bits", node.word));
    return result;
  }

  Expr named(const ExpressionNode& node) {
    const std::string& name = node.word;
    for (std::size_t k = 0; k < names_.size(); ++k)
      if (names_[k] == name) return {&graph_, inputs_[k]};
    if (name == "True" || name == "False") return constant(graph_, name == "True");
    if (name == "pi") return constant(graph_, 3.14159265358979323846);
    if (name == "inf") return constant(graph_, std::numeric_limits<double>::infinity());
    if (name == "nan") return constant(graph_, std::numeric_limits<double>::quiet_NaN());
    tree_.fail(node.column, fmt::format("unknown name '{}'{}", name, suggestion(name, names_)));
  }

  Expr unary(const ExpressionNode& node) {
    const Expr operand = value(node.operands[0]);
    if (node.meaning().empty()) return operand;
    return apply_at(node.column, node.meaning(), {operand});
  }

  /// A chain of comparisons is taken from the left: (a < b) < c.
  Expr binary(const ExpressionNode& node) {
    const Expr left = value(node.operands[0]);
    return apply_at(node.column, node.meaning(), {left, value(node.operands[1])});
  }

  /// Python's meaning, (a < b) and (b < c), asks for the truth of an array, which NumPy refuses.
  [[noreturn]] void refuse_chain(const ExpressionNode& node) const {
    const auto spelled = [&](std::size_t operand) {
      const ExpressionNode& leaf = tree_[node.operands[operand]];
      return leaf.kind == Kind::kNumber || leaf.kind == Kind::kName ? leaf.word : "...";
    };
    std::string pairs;
    for (std::size_t k = 0; k < node.operators.size(); ++k)
      pairs += fmt::format("{}({} {} {})", k == 0 ? "" : " & ", spelled(k),
                           node.operators[k]->spelling, spelled(k + 1));
    tree_.fail(node.operator_columns[1],
               fmt::format("comparisons of arrays make no chain: write {}", pairs));
  }

  int whole_number(const ExpressionNode& node) const {
    const bool is_negative = node.kind == Kind::kUnary && node.meaning() == "negative";
    const ExpressionNode& digits = is_negative ? tree_[node.operands[0]] : node;
    const std::string text = (is_negative ? "-" : "") + digits.word;
    int result = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), result);
    if (digits.kind != Kind::kNumber || parsed.ec != std::errc{} ||
        parsed.ptr != text.data() + text.size())
      tree_.fail(node.column, "expected a whole number");
    return result;
  }

  /// `axis=…` and `keepdims=…` of a reduction.
  ReduceAxes axes(const ExpressionNode& reduction) const {
    ReduceAxes result;
    for (std::size_t k = 1; k < reduction.operands.size(); ++k) {
      const ExpressionNode& option = tree_[reduction.operands[k]];
      if (option.kind != Kind::kOption)
        tree_.fail(option.column, "a reduction takes one operand, then axis= and keepdims=");
      const ExpressionNode& given = tree_[option.operands[0]];
      if (option.word == "axis") {
        result.all = given.kind == Kind::kName && given.word == "None";
        if (given.kind == Kind::kTuple)
          for (const std::size_t item : given.operands)
            result.axes.push_back(whole_number(tree_[item]));
        else if (!result.all)
          result.axes.push_back(whole_number(given));
      } else if (option.word == "keepdims") {
        if (given.kind != Kind::kName || (given.word != "True" && given.word != "False"))
          tree_.fail(given.column, "keepdims is True or False");
        result.keepdims = given.word == "True";
      } else {
        tree_.fail(option.column, fmt::format("unknown option '{}': a reduction takes axis and "
                                              "keepdims",
                                              option.word));
      }
    }
    return result;
  }

  Expr call(const ExpressionNode& node) {
    std::string name = node.word;
    for (const auto& [alias, meaning] : kAliases)
      if (name == alias) name = meaning;
    const std::size_t count = node.operands.size();
    ReduceKind kind{};
    if (find_reduction(name, kind)) {
      if (count == 0) tree_.fail(node.column, fmt::format("'{}' takes an operand", name));
      const Expr operand = value(node.operands[0]);
      return reduce(kind, operand, axes(node));
    }
    if (name == "astype") {
      if (count != 2 || tree_[node.operands[1]].kind != Kind::kName)
        tree_.fail(node.column, "'astype' takes an operand and a dtype");
      const Expr operand = value(node.operands[0]);
      return astype(operand, dtype(tree_[node.operands[1]]));
    }
    std::vector<Expr> operands;
    for (const std::size_t operand : node.operands) operands.push_back(value(operand));
    if (name != "clip") return apply_at(node.column, name, operands);
    if (count != 3) tree_.fail(node.column, "'clip' takes 3 operands");
    return apply("minimum", {apply("maximum", {operands[0], operands[1]}), operands[2]});
  }

  DType dtype(const ExpressionNode& node) const {
    if (const auto found = dtype_named(node.word)) return *found;
    tree_.fail(node.column, fmt::format("unknown dtype '{}'{}", node.word,
                                        suggestion(node.word, dtype_names())));
  }

  const ExpressionTree& tree_;
  const std::vector<std::string>& names_;
  Graph graph_;
  std::vector<int> inputs_;
};

}  // namespace

std::vector<std::string> names_in(std::string_view text, const std::vector<std::string>& names) {
  const ExpressionTree tree = parse_expression(kLanguage, std::string(text));
  std::vector<std::string> found;
  for (const std::string& name : names)
    if (std::ranges::any_of(tree.nodes, [&](const ExpressionNode& node) {
          return node.kind == ExpressionNode::Kind::kName && node.word == name;
        }))
      found.push_back(name);
  return found;
}

Graph parse_fused(std::string_view text, const std::vector<std::string>& names) {
  const ExpressionTree tree = parse_expression(kLanguage, std::string(text));
  return GraphBuilder(tree, names).build();
}

}  // namespace kernelbatch
