#include <fmt/format.h>

#include <array>
#include <utility>

#include "core/base/quantity.hpp"
#include "core/base/text.hpp"
#include "core/job/expression_lexer.hpp"
#include "core/job/expression_tree.hpp"

namespace kernelbatch::detail {
namespace {

constexpr std::size_t kMaxDepth = 200;
/// Bounds the depth of long chains too: `1 + 1 + …` is a tree as deep as it is long.
constexpr std::size_t kMaxLength = 10'000;

const std::vector<std::string>& functions() {
  static const std::vector<std::string> names{"min", "max", "abs", "ceil", "floor", "log2"};
  return names;
}

/// Recursive descent, one function per level of precedence.
class Parser {
 public:
  explicit Parser(ExpressionTree& tree) : tree_(tree), lexer_(tree) { advance(); }

  void parse() {
    if (token_.kind == Token::Kind::kEnd) tree_.fail(token_.column, "the expression is empty");
    tree_.root = parse_or();
    if (token_.kind != Token::Kind::kEnd)
      tree_.fail(token_.column, fmt::format("unexpected '{}'", token_.text));
  }

 private:
  using Kind = ExpressionNode::Kind;

  void advance() { token_ = lexer_.next(); }

  bool is_symbol(std::string_view symbol) const {
    return token_.kind == Token::Kind::kSymbol && token_.text == symbol;
  }
  bool is_keyword(std::string_view word) const {
    return token_.kind == Token::Kind::kName && token_.text == word;
  }

  std::size_t add(ExpressionNode node) {
    tree_.nodes.push_back(std::move(node));
    return tree_.nodes.size() - 1;
  }
  std::size_t add(Kind kind, std::string word, std::vector<std::size_t> operands,
                  std::size_t column) {
    return add(
        {.kind = kind, .word = std::move(word), .operands = std::move(operands), .column = column});
  }

  /// One level of nesting; deeper than kMaxDepth would cost stack, not meaning.
  class Depth {
   public:
    explicit Depth(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kMaxDepth)
        parser_.tree_.fail(parser_.token_.column, "the expression is nested too deeply");
    }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    ~Depth() { --parser_.depth_; }

   private:
    Parser& parser_;
  };

  std::size_t parse_or() {
    std::size_t left = parse_and();
    while (is_keyword("or")) {
      const std::size_t column = token_.column;
      advance();
      left = add(Kind::kBinary, "or", {left, parse_and()}, column);
    }
    return left;
  }

  std::size_t parse_and() {
    std::size_t left = parse_not();
    while (is_keyword("and")) {
      const std::size_t column = token_.column;
      advance();
      left = add(Kind::kBinary, "and", {left, parse_not()}, column);
    }
    return left;
  }

  std::size_t parse_not() {
    const Depth depth(*this);
    if (!is_keyword("not")) return parse_comparison();
    const std::size_t column = token_.column;
    advance();
    return add(Kind::kUnary, "not", {parse_not()}, column);
  }

  bool is_comparison() const {
    if (is_keyword("in") || is_keyword("not")) return true;
    return token_.kind == Token::Kind::kSymbol &&
           (is_comparison_pair(token_.text) || token_.text == "<" || token_.text == ">");
  }

  std::size_t parse_comparison() {
    const std::size_t left = parse_sum();
    if (!is_comparison()) return left;
    std::string word = token_.text;
    const std::size_t column = token_.column;
    advance();
    if (word == "not") {
      if (!is_keyword("in")) tree_.fail(token_.column, "expected 'in' after 'not'");
      advance();
      word = "not in";
    }
    const bool is_membership = word == "in" || word == "not in";
    const std::size_t right = is_membership ? parse_list() : parse_sum();
    if (is_comparison()) tree_.fail(token_.column, "comparisons do not chain: join two with 'and'");
    return add(Kind::kBinary, std::move(word), {left, right}, column);
  }

  std::size_t parse_list() {
    const std::size_t column = token_.column;
    if (!is_symbol("[")) tree_.fail(column, "expected a list such as [1, 2] after 'in'");
    return add(Kind::kList, "", parse_items("]"), column);
  }

  /// From an opening bracket to past the closing one.
  std::vector<std::size_t> parse_items(std::string_view closing) {
    const std::size_t opened = token_.column;
    advance();
    std::vector<std::size_t> items;
    while (!is_symbol(closing)) {
      if (!items.empty()) {
        if (!is_symbol(","))
          tree_.fail(token_.kind == Token::Kind::kEnd ? opened : token_.column,
                     fmt::format("expected ',' or '{}'", closing));
        advance();
      }
      items.push_back(parse_or());
    }
    advance();
    return items;
  }

  std::size_t parse_sum() {
    std::size_t left = parse_product();
    while (is_symbol("+") || is_symbol("-")) {
      const Token sign = token_;
      advance();
      left = add(Kind::kBinary, sign.text, {left, parse_product()}, sign.column);
    }
    return left;
  }

  std::size_t parse_product() {
    std::size_t left = parse_signed();
    while (is_symbol("*") || is_symbol("/") || is_symbol("%")) {
      const Token sign = token_;
      advance();
      left = add(Kind::kBinary, sign.text, {left, parse_signed()}, sign.column);
    }
    return left;
  }

  std::size_t parse_signed() {
    const Depth depth(*this);
    if (!is_symbol("-") && !is_symbol("+")) return parse_power();
    const Token sign = token_;
    advance();
    const std::size_t operand = parse_signed();
    return add(Kind::kUnary, sign.text, {operand}, sign.column);
  }

  std::size_t parse_power() {
    const std::size_t base = parse_atom();
    if (!is_symbol("^")) return base;
    const std::size_t column = token_.column;
    advance();
    return add(Kind::kBinary, "^", {base, parse_signed()}, column);
  }

  std::size_t parse_atom() {
    const Token token = token_;
    switch (token.kind) {
      case Token::Kind::kNumber:
        advance();
        return add({.kind = Kind::kConstant, .constant = number(token), .column = token.column});
      case Token::Kind::kText:
        advance();
        return add({.kind = Kind::kConstant, .constant = token.text, .column = token.column});
      case Token::Kind::kName:
        return parse_name();
      case Token::Kind::kEnd:
        tree_.fail(token.column, "something is missing at the end");
      case Token::Kind::kSymbol:
        break;
    }
    if (!is_symbol("(")) tree_.fail(token.column, fmt::format("unexpected '{}'", token.text));
    advance();
    const std::size_t inner = parse_or();
    if (!is_symbol(")")) tree_.fail(token.column, "no closing ')'");
    advance();
    return inner;
  }

  Value number(const Token& token) const {
    const bool has_point = token.text.find('.') != std::string::npos;
    if (!has_point)
      if (const auto integer = try_parse_integer(token.text)) return *integer;
    if (const auto real = try_parse_real(token.text)) return *real;
    tree_.fail(token.column, fmt::format("'{}' is not a number", token.text));
  }

  std::size_t parse_name() {
    const Token name = token_;
    for (const char* keyword : {"and", "or", "in"})
      if (name.text == keyword) tree_.fail(name.column, fmt::format("unexpected '{}'", name.text));
    advance();
    if (name.text == "true" || name.text == "false")
      return add({.kind = Kind::kConstant, .constant = name.text == "true", .column = name.column});
    if (!is_symbol("(")) return add(Kind::kName, name.text, {}, name.column);

    bool is_known = false;
    for (const std::string& function : functions()) is_known = is_known || function == name.text;
    if (!is_known)
      tree_.fail(name.column, fmt::format("unknown function '{}'{}", name.text,
                                          suggestion(name.text, functions())));
    std::vector<std::size_t> arguments = parse_items(")");
    const bool takes_many = name.text == "min" || name.text == "max";
    if (arguments.empty() || (!takes_many && arguments.size() != 1))
      tree_.fail(name.column, fmt::format("{} takes {}, not {}", name.text,
                                          takes_many ? "one argument or more" : "one argument",
                                          arguments.size()));
    return add(Kind::kCall, name.text, std::move(arguments), name.column);
  }

  ExpressionTree& tree_;
  ExpressionLexer lexer_;
  Token token_;
  std::size_t depth_ = 0;
};

}  // namespace

ExpressionTree parse_expression(std::string text, SourcePlace place) {
  if (text.size() > kMaxLength)
    fail_at(place, fmt::format("an expression of more than {} characters", kMaxLength));
  ExpressionTree tree{.text = std::move(text), .place = std::move(place)};
  Parser(tree).parse();
  return tree;
}

}  // namespace kernelbatch::detail
