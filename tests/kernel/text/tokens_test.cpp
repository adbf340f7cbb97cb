#include "core/kernel/text/tokens.hpp"

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

using Tokens = std::vector<std::string>;

TEST_CASE("Tokens have their position and whether they are in a directive") {
  const std::string text = "a\n # define b \\\n c\nd #e";
  std::vector<std::pair<std::string, bool>> found;
  for (const Token& token : read_tokens(text)) {
    CHECK(text.substr(token.at, token.text.size()) == token.text);
    found.emplace_back(token.text, token.in_directive);
  }
  using Found = std::vector<std::pair<std::string, bool>>;
  CHECK(found == Found{{"a", false},
                       {"#", true},
                       {"define", true},
                       {"b", true},
                       {"c", true},
                       {"d", false},
                       {"#", false},
                       {"e", false}});
}

TEST_CASE("Text is split into words and characters") {
  CHECK(tokens_of("z = a*x+1.5f") == Tokens{"z", "=", "a", "*", "x", "+", "1", ".", "5f"});
  CHECK(tokens_of("a==b") == Tokens{"a", "==", "b"});
  CHECK(tokens_of("").empty());
}

TEST_CASE("Comments and literals are ignored") {
  CHECK(tokens_of("a // b\nc") == Tokens{"a", "c"});
  CHECK(tokens_of("a /* b\n */ c") == Tokens{"a", "c"});
  CHECK(tokens_of("f(\"b \\\" c\", 'd')") == Tokens{"f", "(", ",", ")"});
  CHECK(tokens_of("a /* never closed") == Tokens{"a"});
  CHECK(tokens_of("\"never closed") == Tokens{});
  CHECK(tokens_of("a R\"x(b \" )\" c)x\" d u8R\"(e)\" f") == Tokens{"a", "d", "f"});
  CHECK(tokens_of("1'000'000 + x'y'") == Tokens{"1'000'000", "+", "x"});
}

TEST_CASE("Only whole identifiers are matched") {
  CHECK(mentions("x + y", "x"));
  CHECK_FALSE(mentions("xx + y", "x"));
  CHECK_FALSE(mentions("// x", "x"));
  CHECK_FALSE(mentions("\"x\"", "x"));
}

TEST_CASE("An unconditional first assignment is detected") {
  for (const char* text :
       {"z = x", "z = x;", "z=x", " z = x == y", "T t = x; z = t", "y = 1; z = y; z += z",
        "f(x); z = g(y)", "/* z */ z = x", "z = x; if (x) z = y", "z = x < 0 ? -x : x",
        "if (x) y = 1; z = x", "for (int k = 0; k < 4; ++k) { t += k; } z = t",
        "while (x) --x; z = x", "if (a) { b = 1; } else { b = 2; } z = b"})
    CHECK(assigns_first(text, "z"));
}

TEST_CASE("Everything that may read the old value is detected") {
  for (const char* text : {"z += x",
                           "z = z + x",
                           "z == x",
                           "if (x) z = x",
                           "if (x) { z = x; }",
                           "{ z = x; }",
                           "for (;;) z = x",
                           "while (x) z = x",
                           "z++",
                           "++z",
                           "y = z; z = x",
                           "z.re = x",
                           "z[0] = x",
                           "f(&z)",
                           "x ? z = 1 : z = 2",
                           "x && (z = 1)",
                           "y = z = x",
                           "(z) = x",
                           "return; z = x",
                           "continue; z = x",
                           "x",
                           "",
                           "zz = x",
                           "auto f = [&] { z = x; }; f()",
                           "do z = x; while (0)",
                           "for (int k = 0; k < 4; z = 1) k++",
                           "if (a) {} else z = 1",
                           "if (x) y = 1; else z = 1",
                           "for (;;) { if (x) break; } z = 1",
                           "for (;;) { z += 1; } z = 1",
                           "switch (x) { case 1: z = 1; }"}) {
    INFO(text);
    CHECK_FALSE(assigns_first(text, "z"));
  }
}

TEST_CASE("A block of statements has a semicolon or returns") {
  CHECK(is_statement_block("T t = x; return t;"));
  CHECK(is_statement_block("return x"));
  CHECK_FALSE(is_statement_block("x * (y + 1)"));
  CHECK_FALSE(is_statement_block("x  // return;"));
  CHECK_FALSE(is_statement_block("returned + x"));
}

}  // namespace
}  // namespace kernelbatch
