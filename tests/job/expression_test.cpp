#include "core/job/expression.hpp"

#include <limits>

#include "tests/support/catch.hpp"
#include "tests/support/message.hpp"

namespace kernelbatch {
namespace {

const NamedValues kValues{{"n", std::int64_t{1000}},
                          {"dtype", std::string("float64")},
                          {"a", 0.5},
                          {"keep", true},
                          {"x.size", std::int64_t{1025}},
                          {"huge", std::numeric_limits<std::int64_t>::max()}};

Value value(const std::string& text) { return Expression(text).evaluate(kValues); }
Value integer(std::int64_t number) { return number; }
std::string expression_error(const std::string& text) {
  return test::message_of([&] { value(text); });
}

TEST_CASE("Operators bind as in mathematics") {
  CHECK(value("1 + 2 * 3") == integer(7));
  CHECK(value("(1 + 2) * 3") == integer(9));
  CHECK(value("10 - 2 - 3") == integer(5));
  CHECK(value("2 ^ 3 ^ 2") == integer(512));
  CHECK(value("-2 ^ 2") == integer(-4));
  CHECK(value("2 ^ -1") == Value(0.5));
  CHECK(value("2 * -3") == integer(-6));
  CHECK(value("2 ** 3 ** 2") == integer(512));
  CHECK(value("2 ** -1 * 4") == Value(2.0));
  CHECK(value("not not 1 < 2") == Value(true));
  CHECK(value("8 / 2 / 2") == Value(2.0));
  CHECK(value("1 + 1 == 2 and 2 < 3") == Value(true));
  CHECK(value("true or false and false") == Value(true));
  CHECK(value("not true or true") == Value(true));
  CHECK(value("not 1 == 2") == Value(true));
}

TEST_CASE("Integers stay integers and / is real division") {
  CHECK(value("7 % 4") == integer(3));
  CHECK(value("-7 % 4") == integer(1));
  CHECK(value("7 % -4") == integer(-1));
  CHECK(value("7.5 % 2") == Value(1.5));
  CHECK(value("7 / 2") == Value(3.5));
  CHECK(value("4 / 2") == Value(2.0));
  CHECK(value("1e6 + 1") == Value(1000001.0));
  CHECK(value("5.0 * 2") == Value(10.0));
  CHECK(value("4Ki + 1") == integer(4097));
  CHECK(value("4Ki") == integer(4096));
  CHECK(value("1_000 + n") == integer(2000));
  CHECK(value("1.5e-3") == Value(1.5e-3));
  CHECK(value("0 ^ 0") == integer(1));
  CHECK(value("(-1) ^ 1000001") == integer(-1));
}

TEST_CASE("Functions") {
  CHECK(value("min(3, 1, 2)") == integer(1));
  CHECK(value("max(1, 2.5)") == Value(2.5));
  CHECK(value("abs(-3)") == integer(3));
  CHECK(value("abs(-0.5)") == Value(0.5));
  CHECK(value("ceil(x.size / 256)") == integer(5));
  CHECK(value("floor(-0.5)") == integer(-1));
  CHECK(value("log2(1024)") == Value(10.0));
}

TEST_CASE("Comparisons are exact and typed") {
  CHECK(value("huge == huge - 1") == Value(false));
  CHECK(value("huge < 9223372036854775808.0") == Value(true));
  CHECK(value("9007199254740993 == 9007199254740992.0") == Value(false));
  CHECK(value("n == 1000.0") == Value(true));
  CHECK(value("dtype == 'float64'") == Value(true));
  CHECK(value("dtype != \"float32\"") == Value(true));
  CHECK(value("'a' < 'b'") == Value(true));
  CHECK(value("keep == true") == Value(true));
  CHECK(value("n in [1, 10, 1000]") == Value(true));
  CHECK(value("dtype not in ['int8', 'int16']") == Value(true));
  CHECK(value("n in []") == Value(false));
  CHECK(value("dtype == 'float64' and n > 2^9") == Value(true));
}

TEST_CASE("and and or stop early") {
  CHECK(value("n == 0 and 1 / 0 > 1") == Value(false));
  CHECK(value("n == 1000 or 1 / 0 > 1") == Value(true));
}

TEST_CASE("Overflow is an error, not another number") {
  CHECK(expression_error("huge + 1") ==
        "'+' overflows 64-bit integers, column 6 of the expression\n"
        "  huge + 1\n"
        "       ^");
  CHECK_THAT(expression_error("2 ^ 63"), Contains("'^' overflows"));
  CHECK_THAT(expression_error("2 ** 63"), Contains("'**' overflows"));
  CHECK_THAT(expression_error("huge * 2"), Contains("'*' overflows"));
  CHECK_THAT(expression_error("-huge - 2"), Contains("'-' overflows"));
  CHECK_THAT(expression_error("-(-huge - 1)"), Contains("'-' overflows"));
  CHECK_THAT(expression_error("abs(-huge - 1)"), Contains("'abs' overflows"));
  CHECK_THAT(expression_error("ceil(1e300)"), Contains("'ceil' overflows"));
  CHECK(value("(-huge - 1) % -1") == integer(0));
}

TEST_CASE("Errors show the column with a caret") {
  CHECK(expression_error("n > ") ==
        "something is missing at the end, column 5 of the expression\n  n > \n      ^");
  CHECK(expression_error("m > 1") ==
        "unknown name 'm' (did you mean 'n'?), column 1 of the expression\n  m > 1\n  ^");
  CHECK(
      expression_error("n = 1") ==
      "'=' is not an operator here: compare with '==', column 3 of the expression\n  n = 1\n    ^");
  CHECK_THAT(expression_error("flor(1.5)"),
             Contains("unknown function 'flor' (did you mean 'floor'?)"));
  CHECK_THAT(expression_error("1 < n < 3"),
             Contains("comparisons do not chain: join two with 'and', column 7"));
  CHECK_THAT(expression_error("n in [1] == true"), Contains("do not chain"));
  CHECK_THAT(expression_error("n not 1"), Contains("expected 'in' after 'not', column 7"));
  CHECK_THAT(expression_error("1 == not keep"), Contains("'not' needs parentheses here"));
  CHECK_THAT(expression_error("in"), Contains("unexpected 'in'"));
  CHECK_THAT(expression_error("dtype > 1"),
             Contains("cannot compare text (float64) with a number (1)"));
  CHECK_THAT(expression_error("dtype + 1"), Contains("'+' needs a number, got text (float64)"));
  CHECK_THAT(expression_error("n and true"),
             Contains("expected a truth value, got a number (1000)"));
  CHECK_THAT(expression_error("n / 0"), Contains("division by zero"));
  CHECK_THAT(expression_error("n in 3"), Contains("expected a list such as [1, 2] after 'in'"));
  CHECK_THAT(expression_error("(1 + 2"), Contains("no closing ')', column 1"));
  CHECK_THAT(expression_error("(1 2)"), Contains("expected ')', column 4"));
  CHECK_THAT(expression_error("(1, 2)"), Contains("expected ')', column 3"));
  CHECK_THAT(expression_error("min(a=1)"), Contains("compare with '=='"));
  CHECK_THAT(expression_error("1, 2"), Contains("unexpected ','"));
  CHECK_THAT(expression_error("min(1, 2"), Contains("expected ',' or ')'"));
  CHECK_THAT(expression_error("'abc"), Contains("no closing '"));
  CHECK_THAT(expression_error("1 2"), Contains("unexpected '2'"));
  CHECK_THAT(expression_error("12abc"), Contains("'12abc' is not a number"));
  CHECK_THAT(expression_error(""), Contains("the expression is empty"));
  CHECK_THAT(expression_error("abs(1, 2)"), Contains("abs takes one argument, not 2"));
  CHECK_THAT(expression_error("min()"), Contains("min takes one argument or more, not 0"));
  CHECK_THAT(expression_error("log2(0)"), Contains("log2 needs a number above 0"));
  CHECK_THAT(expression_error("n && keep"), Contains("write 'and'"));
}

TEST_CASE("The caret counts characters, not bytes") {
  CHECK(expression_error("'µ' == m") ==
        "unknown name 'm' (did you mean 'n'?), column 8 of the expression\n"
        "  'µ' == m\n"
        "         ^");
}

TEST_CASE("Errors carry the place of the expression") {
  const std::string message = test::message_of([] {
    Expression("n >", SourcePlace{"jobs/x.yaml", 9, 11});
  });
  CHECK(message.starts_with("jobs/x.yaml:9:11: something is missing at the end"));
}

TEST_CASE("Deep nesting is an error, not a crash") {
  CHECK_THAT(expression_error(std::string(1000, '(') + "1"), Contains("nested too deeply"));
  CHECK_THAT(expression_error(std::string(1000, '-') + "1"), Contains("nested too deeply"));
  CHECK(expression_error(std::string(100000, '(')) ==
        "an expression of more than 10000 characters");
}

TEST_CASE("Names can be checked without values") {
  const std::vector<std::string> known{"block", "n"};
  const Expression expression("n > 1 or bloc == 2 or n < 0");
  CHECK(expression.names() == std::vector<std::string>{"n", "bloc"});
  CHECK_THAT(test::message_of([&] { expression.check_names(known); }),
             Contains("unknown name 'bloc' (did you mean 'block'?), column 10"));
}

TEST_CASE("A condition must be a truth value") {
  CHECK(Expression("n > 1").holds(kValues));
  CHECK_THAT(test::message_of([] { Expression("n + 1").holds(kValues); }),
             Contains("expected a truth value, got a number (1001)"));
}

}  // namespace
}  // namespace kernelbatch
