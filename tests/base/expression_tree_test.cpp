#include <array>

#include "core/base/expression/tree.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/message.hpp"

namespace kernelbatch {
namespace {

using Kind = ExpressionNode::Kind;
using enum ExpressionOperator::Position;
using enum ExpressionOperator::Associativity;

constexpr std::array<ExpressionOperator, 8> kOperators{{
    {"not", "not", 1, kPrefix},
    {"<", "less", 2, kInfix, kChain},
    {"<=", "at most", 2, kInfix, kChain},
    {"in", "in", 2, kBeforeList, kChain},
    {"-", "minus", 3},
    {"-", "sign", 4, kPrefix},
    {"^", "power", 5, kInfix, kRight},
    {"**", "power", 5, kInfix, kRight},
}};
constexpr std::array<ForeignOperator, 1> kForeign{{{"&&", "write 'and'"}}};
constexpr ExpressionLanguage kPlain{.operators = kOperators, .foreign = kForeign};
constexpr ExpressionLanguage kTuples{
    .operators = kOperators, .foreign = kForeign, .context = "here: ", .has_tuples = true};

/// The tree with a bracket around each node's operands: "(minus a (sign b))".
std::string shown(const ExpressionTree& tree, std::size_t index) {
  const ExpressionNode& node = tree[index];
  if (node.operands.empty() && node.operators.empty() && node.kind != Kind::kTuple)
    return node.word;
  std::string text = "(" + (node.operators.empty() ? node.word : std::string(node.meaning()));
  for (std::size_t k = 1; k < node.operators.size(); ++k)
    text += "," + std::string(node.operators[k]->meaning);
  for (const std::size_t operand : node.operands) text += " " + shown(tree, operand);
  return text + ")";
}
std::string shown(const std::string& text, const ExpressionLanguage& language = kPlain) {
  const ExpressionTree tree = parse_expression(language, text);
  std::string all;
  for (const std::size_t root : tree.roots) all += (all.empty() ? "" : " ; ") + shown(tree, root);
  return all;
}
std::string refusal(const std::string& text, const ExpressionLanguage& language = kPlain) {
  return test::message_of([&] { parse_expression(language, text); });
}

TEST_CASE("The table sets the precedence and associativity of operators") {
  CHECK(shown("a - b - c") == "(minus (minus a b) c)");
  CHECK(shown("a ^ b ** c") == "(power a (power b c))");
  CHECK(shown("-a ^ -b - c") == "(minus (sign (power a (sign b))) c)");
  CHECK(shown("not not a - b < c") == "(not (not (less (minus a b) c)))");
  CHECK(shown("a - (b - c)") == "(minus a (minus b c))");
}

TEST_CASE("A chain of comparisons is one node with all its operators and their columns") {
  const ExpressionTree tree = parse_expression(kPlain, "0.5 < x <= y - 1 in [1, 2]");

  const ExpressionNode& chain = tree[tree.roots.at(0)];
  CHECK(chain.kind == Kind::kChain);
  CHECK(shown(tree, tree.roots[0]) == "(less,at most,in 0.5 x (minus y 1) ( 1 2))");
  CHECK(chain.operator_columns == std::vector<std::size_t>{4, 8, 17});
  CHECK(parse_expression(kPlain, "a < b").nodes.back().kind == Kind::kBinary);
  CHECK(shown("(a < b) < c") == "(less (less a b) c)");
}

TEST_CASE("Tuples, options and several results exist only if the language has them") {
  CHECK(shown("f(x, axis=(0, -1), g=()), (a), (b,),", kTuples) ==
        "(f x (axis ( 0 (sign 1))) (g ())) ; a ; ( b)");
  CHECK_THAT(refusal("a, b"), Contains("unexpected ',', column 2"));
  CHECK_THAT(refusal("(a, b)"), Contains("expected ')', column 3"));
  CHECK_THAT(refusal("f(a=1)"), Contains("expected ',' or ')', column 4"));
  CHECK_THAT(refusal("()"), Contains("unexpected ')', column 2"));
}

TEST_CASE("Names have dots and an index of a shape, numbers keep their suffix") {
  CHECK(shown("x.shape[0] - x.size") == "(minus x.shape[0] x.size)");
  CHECK(shown("1.5e-3 - 4Ki") == "(minus 1.5e-3 4Ki)");
  CHECK(shown("'a b' < \"c'd\"") == "(less a b c'd)");
}

TEST_CASE("A sign after an exponent's e belongs to the number") {
  CHECK(shown("1e-5 - 2E+3") == "(minus 1e-5 2E+3)");
  CHECK(shown("x1-5") == "(minus x1 5)");
}

TEST_CASE("Errors are shown at their place") {
  CHECK(refusal("a && b", kTuples) ==
        "here: '&&' is not an operator here: write 'and', column 3 of the expression\n"
        "  a && b\n"
        "    ^");
  CHECK_THAT(refusal("a - not b"), Contains("'not' needs parentheses here, column 5"));
  CHECK_THAT(refusal("a in b"), Contains("expected a list such as [1, 2] after 'in', column 6"));
  CHECK_THAT(refusal("(a b"), Contains("expected ')', column 4"));
  CHECK_THAT(refusal("(a && b)"), Contains("write 'and', column 4"));
  CHECK_THAT(refusal("f(a"), Contains("expected ',' or ')', column 2"));
  CHECK_THAT(refusal("f(a,)"), Contains("unexpected ')', column 5"));
  CHECK_THAT(refusal("a $ b"), Contains("unexpected '$', column 3"));
  CHECK_THAT(refusal("x.shape[0"), Contains("no closing ], column 8"));
  CHECK_THAT(refusal("ä"), Contains("outside of quotes, column 1"));
}

}  // namespace
}  // namespace kernelbatch
