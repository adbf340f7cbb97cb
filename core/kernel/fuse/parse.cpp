#include "core/kernel/fuse/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/expression/tree.hpp"
#include "core/base/text.hpp"
#include "core/kernel/fuse/language.hpp"

namespace kernelbatch {
namespace {

/// Builds the graph of an expression tree.
class GraphBuilder {
 public:
  GraphBuilder(const ExpressionTree& tree, const std::vector<std::string>& names,
               const std::vector<NamedNumber>& numbers)
      : tree_(tree), names_(names), numbers_(numbers) {
    graph_.inputs = static_cast<int>(names.size());
    for (int k = 0; k < graph_.inputs; ++k) {
      Node node;
      node.kind = Node::Kind::kInput;
      node.input = k;
      inputs_.push_back(graph_.add(node));
    }
  }

  Graph build() {
    std::vector<std::size_t> roots = tree_.roots;
    if (roots.size() == 1 && tree_[roots[0]].kind == Kind::kTuple)
      roots = tree_[roots[0]].operands;  // (x + y, x - y), as a function returns it
    for (const std::size_t root : roots) graph_.outputs.push_back(value(root).id);
    return std::move(graph_);
  }

 private:
  using Kind = ExpressionNode::Kind;

  Expr value(std::size_t index) {
    const ExpressionNode& node = tree_[index];
    switch (node.kind) {
      case Kind::kNumber:
        return constant(graph_, number_of(tree_, node));
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

  /// Adds a caret to errors of apply().
  Expr apply_at(std::size_t column, std::string_view name, const std::vector<Expr>& operands) {
    try {
      return kernelbatch::apply(std::string(name), operands);
    } catch (const SpecError& error) {
      const std::string_view what = error.message();
      tree_.fail(column, what.starts_with("fuse: ") ? what.substr(6) : what);
    }
  }

  std::optional<Expr> find(std::string_view name) {
    for (std::size_t k = 0; k < names_.size(); ++k)
      if (names_[k] == name) return Expr{&graph_, inputs_[k]};
    for (const NamedNumber& number : numbers_) {
      if (number.name != name) continue;
      const Expr value = constant(graph_, number.value);
      return number.dtype ? astype(value, *number.dtype) : value;
    }
    return std::nullopt;
  }

  /// The name without a module prefix, unless the prefix is an input.
  std::string without_module(const std::string& name) {
    const std::string module = name.substr(0, name.find('.'));
    const bool is_module = module != name && is_array_module(module) && !find(module);
    return is_module ? name.substr(module.size() + 1) : name;
  }

  Expr named(const ExpressionNode& node) {
    if (const auto known = find(node.word)) return *known;
    const std::string name = without_module(node.word);
    if (const auto value = named_constant(name)) return constant(graph_, *value);
    if (name.find('.') != std::string::npos) return call(node);  // x.real
    std::vector<std::string> known = names_;
    for (const NamedNumber& number : numbers_) known.push_back(number.name);
    tree_.fail(node.column, fmt::format("unknown name '{}'{}", name, suggestion(name, known)));
  }

  Expr unary(const ExpressionNode& node) {
    const Expr operand = value(node.operands[0]);
    if (node.meaning().empty()) return operand;
    return apply_at(node.column, node.meaning(), {operand});
  }

  Expr binary(const ExpressionNode& node) {
    const Expr left = value(node.operands[0]);
    return apply_at(node.column, node.meaning(), {left, value(node.operands[1])});
  }

  /// Python's meaning, (a < b) and (b < c), needs the truth value of an array, which NumPy refuses.
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

  bool is_axis(const ExpressionNode& node) const {
    return node.kind == Kind::kTuple || node.kind == Kind::kNumber ||
           (node.kind == Kind::kUnary && tree_[node.operands[0]].kind == Kind::kNumber) ||
           (node.kind == Kind::kName && node.word == "None");
  }

  void read_axis(const ExpressionNode& given, ReduceOptions& result) const {
    result.all = given.kind == Kind::kName && given.word == "None";
    if (given.kind == Kind::kTuple)
      for (const std::size_t item : given.operands)
        result.axes.push_back(whole_number(tree_[item]));
    else if (!result.all)
      result.axes.push_back(whole_number(given));
  }

  /// Options after the operand of a reduction.
  ReduceOptions options(const std::string& name, ReduceKind kind,
                        std::span<const std::size_t> rest) {
    ReduceOptions result;
    const bool has_count = kind == ReduceKind::kVar || kind == ReduceKind::kStd;
    const bool has_dtype = has_count || kind == ReduceKind::kSum || kind == ReduceKind::kProd ||
                           kind == ReduceKind::kMean;
    for (const std::size_t index : rest) {
      const ExpressionNode& option = tree_[index];
      if (option.kind != Kind::kOption) {
        if (index == rest[0] && is_axis(option)) {
          read_axis(option, result);
          continue;
        }
        const bool is_order = kind == ReduceKind::kMax || kind == ReduceKind::kMin;
        tree_.fail(option.column,
                   is_order
                       ? fmt::format("'{0}' reduces one operand over axes; of two operands "
                                     "write {0}imum(x, y)",
                                     to_text(kind))
                       : fmt::format("the second operand of '{}' is its axis, a number", name));
      }
      const ExpressionNode& given = tree_[option.operands[0]];
      if (option.word == "axis") {
        read_axis(given, result);
      } else if (option.word == "keepdims") {
        if (given.kind != Kind::kName || (given.word != "True" && given.word != "False"))
          tree_.fail(given.column, "keepdims is True or False");
        result.keepdims = given.word == "True";
      } else if (option.word == "dtype" && has_dtype) {
        result.dtype = dtype(given);
      } else if (option.word == "ddof" && has_count) {
        result.ddof = whole_number(given);
      } else {
        tree_.fail(option.column,
                   fmt::format("unknown option '{}': '{}' takes axis, keepdims{}{}", option.word,
                               name, has_dtype ? ", dtype" : "", has_count ? ", ddof" : ""));
      }
    }
    return result;
  }

  /// A method's object is its first operand.
  Expr call(const ExpressionNode& node) {
    std::string name = without_module(node.word);
    std::span<const std::size_t> rest(node.operands);
    std::optional<Expr> object;
    if (name.starts_with('.')) {
      object = value(rest[0]);
      rest = rest.subspan(1);
      name.erase(0, 1);
    } else if (const std::size_t dot = name.rfind('.'); dot != std::string::npos) {
      object = find(name.substr(0, dot));
      if (object) name.erase(0, dot + 1);
    }
    name = without_alias(std::move(name));
    std::vector<Expr> operands;
    if (object) operands.push_back(*object);
    const auto take = [&] {
      operands.push_back(value(rest[0]));
      rest = rest.subspan(1);
    };
    if (name == "softmax" || name == "log_softmax" || name == "logsumexp")
      return exponentials(node, name, object, rest);
    ReduceKind kind{};
    const bool is_reduction = find_reduction(name, kind);
    const auto cast_to = dtype_named(name);
    if (is_reduction || name == "astype" || cast_to) {
      if (operands.empty() && rest.empty())
        tree_.fail(node.column, fmt::format("'{}' takes an operand", name));
      if (operands.empty()) take();
    }
    if (is_reduction) return reduce(kind, operands[0], options(name, kind, rest));
    if (name == "astype" || (cast_to && rest.empty())) {
      if (cast_to) return astype(operands[0], *cast_to);
      if (rest.size() != 1) tree_.fail(node.column, "'astype' takes an operand and a dtype");
      return astype(operands[0], dtype(tree_[rest[0]]));
    }
    while (!rest.empty()) take();
    if (name != "clip") return apply_at(node.column, name, operands);
    if (operands.size() != 3) tree_.fail(node.column, "'clip' takes 3 operands");
    const Expr low = apply_at(node.column, "maximum", {operands[0], operands[1]});
    return apply_at(node.column, "minimum", {low, operands[2]});
  }

  /// SciPy's functions of sums of exponentials, which do not overflow for large elements.
  Expr exponentials(const ExpressionNode& node, const std::string& name,
                    const std::optional<Expr>& object, std::span<const std::size_t> rest) {
    if (!object && rest.empty())
      tree_.fail(node.column, fmt::format("'{}' takes an operand", name));
    const Expr x = object ? *object : value(rest[0]);
    if (!object) rest = rest.subspan(1);
    const ReduceOptions own = options(name, ReduceKind::kMax, rest);
    ReduceOptions kept = own;
    kept.keepdims = true;
    const Expr largest = reduce(ReduceKind::kMax, x, kept), distance = x - largest;
    if (name == "logsumexp")
      return log(reduce(ReduceKind::kSum, exp(distance), own)) + reduce(ReduceKind::kMax, x, own);
    if (own.keepdims) tree_.fail(node.column, fmt::format("'{}' keeps its axes", name));
    const Expr total = reduce(ReduceKind::kSum, exp(distance), kept);
    return name == "softmax" ? exp(distance) / total : distance - log(total);
  }

  DType dtype(const ExpressionNode& node) {
    if (node.kind != Kind::kName && node.kind != Kind::kText)
      tree_.fail(node.column, "expected a dtype");
    const std::string name = without_module(node.word);
    if (const auto found = dtype_named(name)) return *found;
    tree_.fail(node.column,
               fmt::format("unknown dtype '{}'{}", name, suggestion(name, dtype_names())));
  }

  const ExpressionTree& tree_;
  const std::vector<std::string>& names_;
  const std::vector<NamedNumber>& numbers_;
  Graph graph_;
  std::vector<int> inputs_;
};

}  // namespace

std::vector<std::string> names_in(std::string_view text, const std::vector<std::string>& names) {
  const ExpressionTree tree = parse_expression(fuse_language(), std::string(text));
  std::vector<std::string> found;
  for (const std::string& name : names)
    if (std::ranges::any_of(tree.nodes, [&](const ExpressionNode& node) {
          const bool is_name = node.kind == ExpressionNode::Kind::kName;
          const bool is_call = node.kind == ExpressionNode::Kind::kCall;
          return (is_name && node.word == name) ||
                 ((is_name || is_call) && node.word.starts_with(name + "."));
        }))
      found.push_back(name);
  return found;
}

Graph parse_fused(std::string_view text, const std::vector<std::string>& names,
                  const std::vector<NamedNumber>& numbers) {
  const ExpressionTree tree = parse_expression(fuse_language(), std::string(text));
  return GraphBuilder(tree, names, numbers).build();
}

}  // namespace kernelbatch
