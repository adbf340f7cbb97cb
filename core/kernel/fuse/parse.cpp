#include "core/kernel/fuse/parse.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <optional>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

/// Deep enough for any formula, shallow enough for the stack.
constexpr int kDeepest = 200;

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

/// Binary operators by how tightly they bind, loosest first.
struct Level {
  std::array<std::pair<std::string_view, const char*>, 6> operators;
};
constexpr std::array<Level, 7> kLevels{{
    {{{{"<=", "less_equal"},
       {">=", "greater_equal"},
       {"==", "equal"},
       {"!=", "not_equal"},
       {"<", "less"},
       {">", "greater"}}}},
    {{{{"|", "bitwise_or"}}}},
    {{{{"^", "bitwise_xor"}}}},
    {{{{"&", "bitwise_and"}}}},
    {{{{"<<", "left_shift"}, {">>", "right_shift"}}}},
    {{{{"+", "add"}, {"-", "subtract"}}}},
    {{{{"//", "floor_divide"}, {"*", "multiply"}, {"/", "divide"}, {"%", "remainder"}}}},
}};

class Parser {
 public:
  Parser(std::string_view text, const std::vector<std::string>& names)
      : text_(text), names_(names) {
    graph_.inputs = static_cast<int>(names.size());
    for (int k = 0; k < graph_.inputs; ++k) {
      Node node;
      node.kind = Node::Kind::kInput;
      node.input = k;
      inputs_.push_back(graph_.add(node));
    }
  }

  Graph parse() {
    do {
      skip_space();
      if (at_ == text_.size() && !graph_.outputs.empty()) break;
      const Expr result = expression(0);
      graph_.outputs.push_back(result.id);
      skip_space();
    } while (accept(","));
    if (at_ != text_.size()) fail("unexpected text");
    return std::move(graph_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw SpecError(fmt::format("fuse: {}\n  {}\n  {:>{}}", what, text_, "^", at_ + 1));
  }

  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool accept(std::string_view token) {
    skip_space();
    if (text_.substr(at_, token.size()) != token) return false;
    // "*" is not the beginning of "**", nor "<" of "<<".
    if (token.size() == 1 && at_ + 1 < text_.size() && text_[at_ + 1] == token[0] &&
        (token == "*" || token == "<" || token == ">" || token == "/"))
      return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) fail(fmt::format("expected '{}'", token));
  }

  Expr expression(std::size_t level) {
    if (level == kLevels.size()) return unary();
    Expr left = expression(level + 1);
    for (bool found = true; found;) {
      found = false;
      for (const auto& [token, name] : kLevels[level].operators) {
        if (name == nullptr || !accept(token)) continue;
        left = checked([&, known = name] { return apply(known, {left, expression(level + 1)}); });
        found = true;
        break;
      }
    }
    return left;
  }

  Expr unary() {
    if (++depth_ > kDeepest) fail("the expression is nested too deeply");
    Expr result;
    if (accept("-")) {
      const Expr operand = unary();
      const Node& node = graph_.node(operand.id);
      // A negative literal stays a constant, and so weak.
      if (node.kind == Node::Kind::kConstant && node.constant.index() == 1)
        result = constant(graph_, -std::get<std::int64_t>(node.constant));
      else if (node.kind == Node::Kind::kConstant && node.constant.index() == 2)
        result = constant(graph_, -std::get<double>(node.constant));
      else
        result = apply("negative", {operand});
    } else if (accept("+")) {
      result = unary();
    } else if (accept("~")) {
      result = apply("invert", {unary()});
    } else {
      result = primary();
      if (accept("**")) {
        const Expr exponent = unary();
        const Node& node = graph_.node(exponent.id);
        const bool is_two =
            node.kind == Node::Kind::kConstant && node.constant == Constant(std::int64_t{2});
        result = is_two ? apply("square", {result}) : apply("power", {result, exponent});
      }
    }
    --depth_;
    return result;
  }

  Expr primary() {
    skip_space();
    if (at_ == text_.size()) fail("an operand is missing");
    if (accept("(")) {
      const Expr inner = expression(0);
      expect(")");
      return inner;
    }
    const char c = text_[at_];
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.')
      return constant(graph_, number());
    const std::size_t begin = at_;
    const std::string name = word();
    if (name.empty()) fail(fmt::format("unexpected '{}'", c));
    if (accept("(")) return call(name, begin);
    if (name == "True" || name == "False") return constant(graph_, name == "True");
    if (name == "pi") return constant(graph_, 3.14159265358979323846);
    if (name == "inf") return constant(graph_, std::numeric_limits<double>::infinity());
    if (name == "nan") return constant(graph_, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t k = 0; k < names_.size(); ++k)
      if (names_[k] == name) return {&graph_, inputs_[k]};
    at_ = begin;
    fail(fmt::format("unknown name '{}'{}", name, suggestion(name, names_)));
  }

  Constant number() {
    const std::size_t begin = at_;
    const char* first = text_.data() + at_;
    const char* last = text_.data() + text_.size();
    double real = 0;
    const auto parsed = std::from_chars(first, last, real);
    if (parsed.ec != std::errc{}) fail("this is not a number");
    at_ += static_cast<std::size_t>(parsed.ptr - first);
    const std::string_view digits = text_.substr(begin, at_ - begin);
    std::int64_t whole = 0;
    const auto integer = std::from_chars(digits.data(), digits.data() + digits.size(), whole);
    if (integer.ec == std::errc{} && integer.ptr == digits.data() + digits.size()) return whole;
    return real;
  }

  std::string word() {
    skip_space();
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  int whole_number() {
    skip_space();
    const std::size_t begin = at_;
    if (at_ < text_.size() && text_[at_] == '-') ++at_;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    int value = 0;
    const auto parsed = std::from_chars(text_.data() + begin, text_.data() + at_, value);
    if (parsed.ec != std::errc{} || parsed.ptr != text_.data() + at_)
      fail("expected a whole number");
    return value;
  }

  /// `axis=…` and `keepdims=…` of a reduction, and the parenthesis after them.
  ReduceAxes axes() {
    ReduceAxes result;
    while (accept(",")) {
      const std::size_t begin = at_;
      const std::string key = word();
      expect("=");
      if (key == "axis") {
        result.all = false;
        if (accept("None")) {
          result.all = true;
        } else if (accept("(")) {
          do {
            skip_space();
            if (at_ < text_.size() && text_[at_] == ')') break;
            result.axes.push_back(whole_number());
          } while (accept(","));
          expect(")");
        } else {
          result.axes.push_back(whole_number());
        }
      } else if (key == "keepdims") {
        const std::string value = word();
        if (value != "True" && value != "False") fail("keepdims is True or False");
        result.keepdims = value == "True";
      } else {
        at_ = begin;
        fail(fmt::format("unknown option '{}': a reduction takes axis and keepdims", key));
      }
    }
    expect(")");
    return result;
  }

  Expr call(std::string name, std::size_t begin) {
    for (const auto& [alias, meaning] : kAliases)
      if (name == alias) name = meaning;
    ReduceKind kind{};
    if (find_reduction(name, kind)) {
      const Expr operand = expression(0);
      return reduce(kind, operand, axes());
    }
    if (name == "astype") {
      const Expr operand = expression(0);
      expect(",");
      const std::string type = word();
      const auto dtype = dtype_named(type);
      if (!dtype) fail(fmt::format("unknown dtype '{}'{}", type, suggestion(type, dtype_names())));
      expect(")");
      return astype(operand, *dtype);
    }
    std::vector<Expr> operands;
    do operands.push_back(expression(0));
    while (accept(","));
    expect(")");
    const auto back_to_name = [&](const auto& body) {
      const std::size_t end = at_;
      at_ = begin;
      const Expr result = checked(body);
      at_ = end;
      return result;
    };
    return back_to_name([&] {
      if (name != "clip") return kernelbatch::apply(name, operands);
      if (operands.size() != 3) throw SpecError("fuse: 'clip' takes 3 operands");
      return apply("minimum", {apply("maximum", {operands[0], operands[1]}), operands[2]});
    });
  }

  /// Puts the caret under what apply() refuses.
  template <class Body>
  Expr checked(const Body& body) {
    try {
      return body();
    } catch (const SpecError& error) {
      const std::string_view what = error.what();
      if (what.find('^') != std::string_view::npos) throw;
      fail(std::string(what.starts_with("fuse: ") ? what.substr(6) : what));
    }
  }

  std::string_view text_;
  const std::vector<std::string>& names_;
  Graph graph_;
  std::vector<int> inputs_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Graph parse_fused(std::string_view text, const std::vector<std::string>& names) {
  return Parser(text, names).parse();
}

}  // namespace kernelbatch
