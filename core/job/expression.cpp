#include "core/job/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/text.hpp"
#include "core/job/checked_expression.hpp"

namespace kernelbatch {
namespace {

using detail::CheckedExpression;

struct TypeName {
  std::string_view operator()(bool) const { return "a truth value"; }
  std::string_view operator()(std::int64_t) const { return "a number"; }
  std::string_view operator()(double) const { return "a number"; }
  std::string_view operator()(const std::string&) const { return "text"; }
};

std::string_view type_name(const Value& value) { return std::visit(TypeName{}, value); }

bool is_number(const Value& value) {
  return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
}

double as_real(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  return std::get<double>(value);
}

/// -1, 0, 1; 2 if the two are unordered (NaN).
int compare_numbers(const Value& a, const Value& b) {
  const auto* left = std::get_if<std::int64_t>(&a);
  const auto* right = std::get_if<std::int64_t>(&b);
  if (left != nullptr && right != nullptr) return *left < *right ? -1 : *left > *right ? 1 : 0;
  const double x = as_real(a);
  const double y = as_real(b);
  if (std::isnan(x) || std::isnan(y)) return 2;
  if (x != y || (left == nullptr && right == nullptr)) return x < y ? -1 : x > y ? 1 : 0;
  // Equal after rounding the integer: the real is integral here, so both are compared as integers.
  if (x >= 0x1p63) return left != nullptr ? -1 : 1;
  const std::int64_t i = left != nullptr ? *left : static_cast<std::int64_t>(x);
  const std::int64_t j = right != nullptr ? *right : static_cast<std::int64_t>(y);
  return i < j ? -1 : i > j ? 1 : 0;
}

class Evaluator {
 public:
  Evaluator(const CheckedExpression& expression, const NamedValues& values)
      : tree_(expression.tree), constants_(expression.constants), values_(values) {}

  Value value(std::size_t index) const {
    if (constants_[index]) return *constants_[index];
    const ExpressionNode& node = tree_[index];
    switch (node.kind) {
      case ExpressionNode::Kind::kName:
        return named(node);
      case ExpressionNode::Kind::kUnary:
        return unary(node);
      case ExpressionNode::Kind::kBinary:
        return binary(node);
      default:  // lists are handled by contains()
        return call(node);
    }
  }

  bool truth(std::size_t index) const {
    const Value result = value(index);
    if (const auto* boolean = std::get_if<bool>(&result)) return *boolean;
    tree_.fail(tree_[index].column, fmt::format("expected a truth value, got {} ({})",
                                                type_name(result), to_text(result)));
  }

 private:
  Value named(const ExpressionNode& node) const {
    if (const Value* found = find_value(values_, node.word)) return *found;
    std::vector<std::string> known;
    for (const auto& [name, ignored] : values_) known.push_back(name);
    tree_.fail(node.column,
               fmt::format("unknown name '{}'{}", node.word, suggestion(node.word, known)));
  }

  Value number(std::size_t index, std::string_view user) const {
    Value result = value(index);
    if (!is_number(result))
      tree_.fail(tree_[index].column, fmt::format("'{}' needs a number, got {} ({})", user,
                                                  type_name(result), to_text(result)));
    return result;
  }

  [[noreturn]] void overflow(const ExpressionNode& node) const {
    tree_.fail(node.column, fmt::format("'{}' overflows 64-bit integers", node.word));
  }

  Value unary(const ExpressionNode& node) const {
    if (node.meaning() == "not") return !truth(node.operands[0]);
    const Value operand = number(node.operands[0], node.word);
    if (node.meaning() == "+") return operand;
    if (const auto* integer = std::get_if<std::int64_t>(&operand)) {
      std::int64_t result = 0;
      if (__builtin_sub_overflow(std::int64_t{0}, *integer, &result)) overflow(node);
      return result;
    }
    return -std::get<double>(operand);
  }

  Value binary(const ExpressionNode& node) const {
    const std::size_t left = node.operands[0];
    const std::size_t right = node.operands[1];
    if (node.meaning() == "and") return truth(left) && truth(right);
    if (node.meaning() == "or") return truth(left) || truth(right);
    if (node.meaning() == "in") return contains(node);
    if (node.meaning() == "not in") return !contains(node);
    switch (node.meaning()[0]) {
      case '=':
      case '!':
      case '<':
      case '>':
        return compare(node, value(left), value(right));
      default:
        return arithmetic(node, number(left, node.word), number(right, node.word));
    }
  }

  bool contains(const ExpressionNode& node) const {
    const Value needle = value(node.operands[0]);
    const ExpressionNode& list = tree_[node.operands[1]];
    return std::any_of(list.operands.begin(), list.operands.end(),
                       [&](std::size_t item) { return order(node, needle, value(item)) == 0; });
  }

  int order(const ExpressionNode& node, const Value& a, const Value& b) const {
    if (is_number(a) && is_number(b)) return compare_numbers(a, b);
    if (a.index() != b.index())
      tree_.fail(node.column, fmt::format("cannot compare {} ({}) with {} ({})", type_name(a),
                                          to_text(a), type_name(b), to_text(b)));
    return a < b ? -1 : b < a ? 1 : 0;
  }

  bool compare(const ExpressionNode& node, const Value& a, const Value& b) const {
    const int result = order(node, a, b);
    if (node.meaning() == "==") return result == 0;
    if (node.meaning() == "!=") return result != 0;
    if (result == 2) return false;
    if (node.meaning() == "<") return result < 0;
    if (node.meaning() == "<=") return result <= 0;
    if (node.meaning() == ">") return result > 0;
    return result >= 0;
  }

  Value arithmetic(const ExpressionNode& node, const Value& a, const Value& b) const {
    const char sign = node.meaning()[0];
    const auto* left = std::get_if<std::int64_t>(&a);
    const auto* right = std::get_if<std::int64_t>(&b);
    if ((sign == '/' || sign == '%') && as_real(b) == 0)
      tree_.fail(node.column, "division by zero");
    if (left != nullptr && right != nullptr && sign != '/' && (sign != '^' || *right >= 0))
      return integer_arithmetic(node, *left, *right);
    const double x = as_real(a);
    const double y = as_real(b);
    switch (sign) {
      case '+':
        return x + y;
      case '-':
        return x - y;
      case '*':
        return x * y;
      case '/':
        return x / y;
      case '%': {
        const double remainder = std::fmod(x, y);
        return remainder != 0 && (remainder < 0) != (y < 0) ? remainder + y : remainder;
      }
      default:
        return std::pow(x, y);
    }
  }

  Value integer_arithmetic(const ExpressionNode& node, std::int64_t a, std::int64_t b) const {
    std::int64_t result = 0;
    bool overflows = false;
    switch (node.meaning()[0]) {
      case '+':
        overflows = __builtin_add_overflow(a, b, &result);
        break;
      case '-':
        overflows = __builtin_sub_overflow(a, b, &result);
        break;
      case '*':
        overflows = __builtin_mul_overflow(a, b, &result);
        break;
      case '%':
        if (b == -1) return std::int64_t{0};  // the machine's own remainder traps on the minimum
        result = a % b;
        if (result != 0 && (result < 0) != (b < 0)) result += b;
        break;
      default:
        result = 1;
        if (a == 0 || a == 1) return b == 0 ? std::int64_t{1} : a;
        if (a == -1) return b % 2 == 0 ? std::int64_t{1} : std::int64_t{-1};
        for (std::int64_t i = 0; i < b && !overflows; ++i)
          overflows = __builtin_mul_overflow(result, a, &result);
    }
    if (overflows) overflow(node);
    return result;
  }

  Value call(const ExpressionNode& node) const {
    Value best = number(node.operands[0], node.word);
    if (node.word == "min" || node.word == "max") {
      for (std::size_t i = 1; i < node.operands.size(); ++i) {
        Value next = number(node.operands[i], node.word);
        if (compare_numbers(next, best) == (node.word == "min" ? -1 : 1)) best = std::move(next);
      }
      return best;
    }
    const auto* integer = std::get_if<std::int64_t>(&best);
    if (node.word == "abs") {
      if (integer == nullptr) return std::abs(std::get<double>(best));
      std::int64_t result = *integer;
      if (*integer < 0 && __builtin_sub_overflow(std::int64_t{0}, *integer, &result))
        overflow(node);
      return result;
    }
    if (node.word == "log2") {
      if (as_real(best) <= 0) tree_.fail(node.column, "log2 needs a number above 0");
      return std::log2(as_real(best));
    }
    if (integer != nullptr) return best;
    const double rounded =
        node.word == "ceil" ? std::ceil(as_real(best)) : std::floor(as_real(best));
    if (!(rounded >= -0x1p63 && rounded < 0x1p63)) overflow(node);
    return static_cast<std::int64_t>(rounded);
  }

  const ExpressionTree& tree_;
  const std::vector<std::optional<Value>>& constants_;
  const NamedValues& values_;
};

}  // namespace

Expression::Expression(std::string text, SourcePlace place)
    : checked_(detail::check_expression(std::move(text), std::move(place))) {}
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;
Expression::~Expression() = default;

Value Expression::evaluate(const NamedValues& values) const {
  return Evaluator(*checked_, values).value(checked_->root());
}

bool Expression::holds(const NamedValues& values) const {
  return Evaluator(*checked_, values).truth(checked_->root());
}

void Expression::check_names(std::span<const std::string> known) const {
  for (const ExpressionNode* node : checked_->names())
    if (std::find(known.begin(), known.end(), node->word) == known.end())
      checked_->tree.fail(node->column, fmt::format("unknown name '{}'{}", node->word,
                                                    suggestion(node->word, known)));
}

const std::string& Expression::text() const noexcept { return checked_->tree.text; }

std::vector<std::string> Expression::names() const {
  std::vector<std::string> names;
  for (const ExpressionNode* node : checked_->names())
    if (std::find(names.begin(), names.end(), node->word) == names.end())
      names.push_back(node->word);
  return names;
}

}  // namespace kernelbatch
