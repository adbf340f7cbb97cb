#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/expression/lexer.hpp"
#include "core/base/expression/tree.hpp"

namespace kernelbatch {
namespace {

constexpr std::size_t kMaxDepth = 200;
/// Also bounds the depth of long chains: `1 + 1 + …` is a tree as deep as it is long.
constexpr std::size_t kMaxLength = 10'000;

/// The tokens of an expression, and the place up to which they are read.
class TokenCursor {
 protected:
  using Token = detail::ExpressionToken;
  using Position = ExpressionOperator::Position;

  TokenCursor(const ExpressionLanguage& language, ExpressionTree& tree)
      : language_(language),
        tree_(tree),
        tokens_(detail::expression_tokens(language, tree)),
        token_(tokens_.data()) {}

  [[noreturn]] void fail(std::string_view message) const { tree_.fail(token_->column, message); }

  /// Throws: the token is not allowed here.
  [[noreturn]] void refuse() const {
    for (const auto& [spelling, advice] : language_.foreign)
      if (is_word(spelling))
        fail(fmt::format("'{}' is not an operator here: {}", spelling, advice));
    fail(fmt::format("unexpected '{}'", token_->text));
  }
  /// Throws: another token is expected here.
  [[noreturn]] void expected(std::string_view what) const {
    for (const auto& [spelling, advice] : language_.foreign)
      if (is_word(spelling)) refuse();
    fail(fmt::format("expected {}", what));
  }

  bool is_end() const { return token_->kind == Token::Kind::kEnd; }
  bool is_symbol(std::string_view symbol) const {
    return token_->kind == Token::Kind::kSymbol && token_->text == symbol;
  }
  /// A symbol or a name.
  bool is_word(std::string_view word) const {
    return (token_->kind == Token::Kind::kSymbol || token_->kind == Token::Kind::kName) &&
           token_->text == word;
  }
  bool accept(std::string_view symbol) {
    if (!is_symbol(symbol)) return false;
    ++token_;
    return true;
  }

  const ExpressionOperator* prefix() const {
    for (const ExpressionOperator& row : language_.operators)
      if (row.position == Position::kPrefix && is_word(row.spelling)) return &row;
    return nullptr;
  }

  /// The operator that starts at this token, and its number of tokens.
  std::pair<const ExpressionOperator*, int> infix() const {
    for (const ExpressionOperator& row : language_.operators) {
      if (row.position == Position::kPrefix) continue;
      if (is_word(row.spelling)) return {&row, 1};
      const std::size_t space = row.spelling.find(' ');
      if (space == std::string_view::npos || !is_word(row.spelling.substr(0, space))) continue;
      const std::string_view second = row.spelling.substr(space + 1);
      if (token_[1].kind == Token::Kind::kName && token_[1].text == second) return {&row, 2};
      tree_.fail(token_[1].column, fmt::format("expected '{}' after '{}'", second, token_->text));
    }
    return {nullptr, 0};
  }

  const ExpressionLanguage& language_;
  ExpressionTree& tree_;
  std::vector<Token> tokens_;
  const Token* token_;
};

/// Precedence climbing: each call parses operators that bind at least as tightly as its level.
class ExpressionParser : private TokenCursor {
 public:
  ExpressionParser(const ExpressionLanguage& language, ExpressionTree& tree)
      : TokenCursor(language, tree) {}

  void parse() {
    if (is_end()) fail("the expression is empty");
    do tree_.roots.push_back(parse_level(0));
    while (language_.has_tuples && accept(",") && !is_end());
    if (!is_end()) refuse();
  }

 private:
  using Kind = ExpressionNode::Kind;
  using Associativity = ExpressionOperator::Associativity;

  std::size_t add(ExpressionNode node) {
    tree_.nodes.push_back(std::move(node));
    return tree_.nodes.size() - 1;
  }

  std::size_t parse_level(int lowest) {
    if (++depth_ > kMaxDepth) fail("the expression is nested too deeply");
    std::size_t left = parse_operand(lowest);
    const ExpressionOperator* row = nullptr;
    while ((row = infix().first) != nullptr && row->precedence >= lowest)
      left = parse_operation(left, row->precedence);
    --depth_;
    return left;
  }

  /// Parses from the operator after `left` to the end of its right side, or of a chain.
  std::size_t parse_operation(std::size_t left, int level) {
    ExpressionNode node{.kind = Kind::kBinary, .operands = {left}, .column = token_->column};
    for (;;) {
      const auto [row, words] = infix();
      if (row == nullptr || row->precedence != level) break;
      if (node.operators.empty()) node.word = row->spelling;
      node.operators.push_back(row);
      node.operator_columns.push_back(token_->column);
      token_ += words;
      const bool is_right = row->associativity == Associativity::kRight;
      node.operands.push_back(row->position == Position::kBeforeList
                                  ? parse_list(row->spelling)
                                  : parse_level(is_right ? level - 1 : level + 1));
      if (row->associativity != Associativity::kChain) break;
    }
    if (node.operators.size() > 1) node.kind = Kind::kChain;
    return add(std::move(node));
  }

  std::size_t parse_operand(int lowest) {
    const Token& token = *token_;
    if (const ExpressionOperator* row = prefix()) {
      if (row->precedence < lowest) fail(fmt::format("'{}' needs parentheses here", row->spelling));
      ++token_;
      const std::size_t operand = parse_level(row->precedence);
      return add({.kind = Kind::kUnary,
                  .word = token.text,
                  .operands = {operand},
                  .column = token.column,
                  .operators = {row},
                  .operator_columns = {token.column}});
    }
    switch (token.kind) {
      case Token::Kind::kNumber:
      case Token::Kind::kText:
        ++token_;
        return add({.kind = token.kind == Token::Kind::kNumber ? Kind::kNumber : Kind::kText,
                    .word = token.text,
                    .column = token.column});
      case Token::Kind::kName:
        return parse_members(parse_name());
      case Token::Kind::kEnd:
        fail("something is missing at the end");
      case Token::Kind::kSymbol:
        break;
    }
    if (!is_symbol("(")) refuse();
    return parse_members(parse_parentheses());
  }

  /// `(x + y).sum(axis=1)`: calls whose first operand is the expression before the dot.
  std::size_t parse_members(std::size_t object) {
    while (language_.has_tuples && is_symbol(".") && token_[1].kind == Token::Kind::kName) {
      const Token& name = token_[1];
      token_ += 2;
      std::vector<std::size_t> operands{object};
      if (is_symbol("(")) {
        const std::vector<std::size_t> items = parse_items(')');
        operands.insert(operands.end(), items.begin(), items.end());
      }
      object = add({.kind = Kind::kCall,
                    .word = "." + name.text,
                    .operands = std::move(operands),
                    .column = name.column});
    }
    return object;
  }

  std::size_t parse_parentheses() {
    const std::size_t opened = token_++->column;
    ExpressionNode tuple{.kind = Kind::kTuple, .column = opened};
    if (language_.has_tuples && accept(")")) return add(std::move(tuple));
    const std::size_t first = parse_level(0);
    if (accept(")")) return first;
    tuple.operands.push_back(first);
    while (!accept(")")) {
      if (is_end()) tree_.fail(opened, "no closing ')'");
      if (!language_.has_tuples || !accept(",")) expected("')'");
      if (!is_symbol(")")) tuple.operands.push_back(parse_level(0));
    }
    return add(std::move(tuple));
  }

  std::size_t parse_list(std::string_view after) {
    if (!is_symbol("[")) fail(fmt::format("expected a list such as [1, 2] after '{}'", after));
    const std::size_t column = token_->column;
    return add({.kind = Kind::kList, .operands = parse_items(']'), .column = column});
  }

  /// Parses from an opening bracket to past the closing one.
  std::vector<std::size_t> parse_items(char closing) {
    const std::string_view bracket(&closing, 1);
    const std::size_t opened = token_++->column;
    std::vector<std::size_t> items;
    if (accept(bracket)) return items;
    do items.push_back(parse_item());
    while (accept(","));
    if (accept(bracket)) return items;
    const std::string what = fmt::format("',' or '{}'", closing);
    if (is_end()) tree_.fail(opened, "expected " + what);
    expected(what);
  }

  std::size_t parse_item() {
    const bool is_option = language_.has_tuples && token_->kind == Token::Kind::kName &&
                           token_[1].kind == Token::Kind::kSymbol && token_[1].text == "=";
    if (!is_option) return parse_level(0);
    const Token& name = *token_;
    token_ += 2;
    const std::size_t value = parse_level(0);
    return add(
        {.kind = Kind::kOption, .word = name.text, .operands = {value}, .column = name.column});
  }

  std::size_t parse_name() {
    const Token& name = *token_;
    const bool is_operator =
        std::any_of(language_.operators.begin(), language_.operators.end(),
                    [&](const ExpressionOperator& row) { return row.spelling == name.text; });
    const bool is_foreign =
        std::any_of(language_.foreign.begin(), language_.foreign.end(),
                    [&](const ForeignOperator& row) { return row.spelling == name.text; });
    if (is_operator || is_foreign) refuse();
    ++token_;
    if (!is_symbol("("))
      return add({.kind = Kind::kName, .word = name.text, .column = name.column});
    return add({.kind = Kind::kCall,
                .word = name.text,
                .operands = parse_items(')'),
                .column = name.column});
  }

  std::size_t depth_ = 0;
};

}  // namespace

void ExpressionTree::fail(std::size_t column, std::string_view message) const {
  // The caret counts characters, not bytes; a line break would separate it from the text.
  std::string line = text;
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  const auto begin = text.begin();
  const auto width =
      std::count_if(begin, begin + static_cast<std::ptrdiff_t>(std::min(column, text.size())),
                    [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
  fail_at(place, fmt::format("{}{}, column {} of the expression\n  {}\n  {:>{}}", context, message,
                             width + 1, line, "^", width + 1));
}

ExpressionTree parse_expression(const ExpressionLanguage& language, std::string text,
                                SourcePlace place) {
  if (text.size() > kMaxLength)
    fail_at(place, fmt::format("{}an expression of more than {} characters", language.context,
                               kMaxLength));
  ExpressionTree tree{
      .text = std::move(text), .place = std::move(place), .context = language.context};
  ExpressionParser(language, tree).parse();
  return tree;
}

}  // namespace kernelbatch
