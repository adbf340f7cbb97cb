#include "core/base/text_cursor.hpp"

#include <string_view>

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

TEST_CASE("A cursor moves past what it takes, and past nothing else") {
  TextCursor cursor("error 12: x_1 end");
  CHECK_FALSE(cursor.take("warning"));
  CHECK(cursor.position() == 0);
  CHECK(cursor.take_one_of({"warning", "err", "error"}) == "err");
  CHECK(cursor.take_one_of({"warning", "error"}).empty());
  CHECK(cursor.take("or"));
  CHECK(cursor.take_digits().empty());
  CHECK(cursor.take_blanks() == " ");
  CHECK(cursor.take_digits() == "12");
  CHECK(cursor.take_while([](char c) { return c != 'x'; }) == ": ");
  CHECK(cursor.take_word() == "x_1");
  CHECK(cursor.rest() == " end");
  CHECK_FALSE(cursor.at_end());
  CHECK(cursor.take(" end"));
  CHECK(cursor.at_end());
  CHECK_FALSE(cursor.take("d"));
  CHECK(cursor.take_word().empty());
}

TEST_CASE("A cursor begins at the end of a text that is shorter") {
  CHECK(TextCursor("abc", 2).rest() == "c");
  CHECK(TextCursor("abc", 3).at_end());
  CHECK(TextCursor("abc", 9).at_end());
}

TEST_CASE("A word ends before a non-word character") {
  CHECK(begins_word("a b", 0));
  CHECK(begins_word("a b", 2));
  CHECK_FALSE(begins_word("ab", 1));
  CHECK(ends_with_word("namespace", "namespace"));
  CHECK(ends_with_word("; namespace", "namespace"));
  CHECK_FALSE(ends_with_word("my_namespace", "namespace"));
  CHECK_FALSE(ends_with_word("space", "namespace"));
  CHECK(without_blank_end("a b \t\r\n") == "a b");
  CHECK(without_blank_end(" \n").empty());
  CHECK_FALSE(is_word_character('\xe4'));
}

}  // namespace
}  // namespace kernelbatch
