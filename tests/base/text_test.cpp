#include "core/base/text.hpp"

#include <cmath>
#include <limits>

#include "core/base/error_list.hpp"
#include "core/base/long_text.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/error_text.hpp"

namespace kernelbatch {
namespace {

TEST_CASE("Control and invisible characters are made visible") {
  CHECK(visible("plain, \u00b5s \u00b1 \u221e, tab\tand line\n") ==
        "plain, \u00b5s \u00b1 \u221e, tab\tand line\n");
  CHECK(visible("\x1b[31mred\r\a\x7f") == "\\x1b[31mred\\x0d\\x07\\x7f");
  CHECK(visible_line("a\nb\tc") == "a\\x0ab\\x09c");
  CHECK(visible(std::string_view("\0", 1)) == "\\x00");
  CHECK(visible("\u009b31m \u202egnirts\u2069 \ufeff") ==
        "\\u009b31m \\u202egnirts\\u2069 \\ufeff");
  // Bytes that are no UTF-8: alone, cut off, overlong, a surrogate.
  CHECK(visible("\x9b"
                "1m") == "\\x9b1m");
  CHECK(visible("\xe2\x82") == "\\xe2\\x82");
  CHECK(visible("\xc0\xaf") == "\\xc0\\xaf");
  CHECK(visible("\xed\xa0\x80") == "\\xed\\xa0\\x80");
  CHECK(visible("") == "");
}

TEST_CASE("Names that become files' names are plain") {
  for (const char* name : {"x", "x-1", "a.b", "_", "A+9"}) CHECK(is_plain_name(name));
  for (const char* name : {"", ".", "..", ".x", "-x", "a/b", "a b", "a\n", "\x1b", "\u00e4"})
    CHECK_FALSE(is_plain_name(name));
  CHECK_FALSE(is_plain_name(std::string_view("a\0b", 3)));
}

using NameList = std::vector<std::string>;

TEST_CASE("The nearest name is only a likely typing error") {
  const NameList names{"variants", "params", "measure"};
  CHECK(nearest_name("variant", names) == "variants");
  CHECK(nearest_name("parms", names) == "params");
  CHECK(nearest_name("workload", names).empty());
  CHECK(nearest_name("x", names).empty());
  CHECK(nearest_name("m", NameList{"n"}) == "n");
  CHECK(nearest_name("n", {}).empty());
}

TEST_CASE("A suggestion is the nearest name, else all of them") {
  CHECK(suggestion("vriants", NameList{"variants", "zip"}) == " (did you mean 'variants'?)");
  CHECK(suggestion("colour", NameList{"variants", "zip"}) == " (known: variants, zip)");
  CHECK(suggestion("colour", {}).empty());
}

TEST_CASE("Split keeps empty parts and join undoes it") {
  CHECK(split("a,,b", ',') == NameList{"a", "", "b"});
  CHECK(split("", ',') == NameList{""});
  CHECK(split("a,", ',') == NameList{"a", ""});
  CHECK(join(NameList{"a", "", "b"}, ",") == "a,,b");
  CHECK(join(NameList{}).empty());
  CHECK(join_nonempty({"a", "", "b"}) == "a; b");
  CHECK(join_nonempty({"", ""}).empty());
}

TEST_CASE("Trim takes white space of both ends") {
  CHECK(trim(" \t a b \r\n") == "a b");
  CHECK(trim("   ").empty());
  CHECK(trim("").empty());
}

TEST_CASE("Bytes are shown in binary units with three digits") {
  CHECK(format_bytes(0) == "0 B");
  CHECK(format_bytes(1023) == "1023 B");
  CHECK(format_bytes(1024) == "1.00 KiB");
  CHECK(format_bytes(1536) == "1.50 KiB");
  CHECK(format_bytes(std::uint64_t{3} << 31) == "6.00 GiB");
  CHECK(format_bytes(std::uint64_t{100} << 20) == "100 MiB");
  CHECK(format_bytes(std::numeric_limits<std::uint64_t>::max()) == "16384 PiB");
}

TEST_CASE("Quantities are shown in powers of 1000 with three digits") {
  CHECK(format_decimal(0, "B") == "0 B");
  CHECK(format_decimal(999, "B") == "999 B");
  CHECK(format_decimal(0.5, "B") == "0.50 B");
  CHECK(format_decimal(999.9, "B") == "1.00 kB");
  CHECK(format_decimal(3.04e9, "B") == "3.04 GB");
  CHECK(format_decimal(200e6, "B") == "200 MB");
  CHECK(format_decimal(67.25e12, "FLOP/s") == "67.2 TFLOP/s");
  CHECK(format_decimal(1e21, "B") == "1000000 PB");
  CHECK(format_decimal(std::nan(""), "B") == "-");
}

TEST_CASE("Seconds are shown in the unit that fits") {
  CHECK(format_seconds(1.5) == "1.50 s");
  CHECK(format_seconds(0.01234) == "12.3 ms");
  CHECK(format_seconds(45.1e-6) == "45.1 µs");
  CHECK(format_seconds(123e-6) == "123 µs");
  CHECK(format_seconds(0) == "0.00 µs");
  CHECK(format_seconds(-2) == "-2.00 s");
  CHECK(format_seconds(std::nan("")) == "-");
}

TEST_CASE("Hashes are stable: they name cache entries and cases") {
  CHECK(hash_hex("") == "99aa06d3014798d86001c324468d497f");
  CHECK(hash_hex("a") != hash_hex("b"));
  CHECK(hash_hex("a").size() == 32);
  const std::string text = "kernelbatch";
  CHECK(hash_hex(std::as_bytes(std::span(text.data(), text.size()))) == hash_hex(text));
}

TEST_CASE("Brackets are counted only outside of strings") {
  CHECK_FALSE(nests_deeper("", 0));
  CHECK_FALSE(nests_deeper("[[],{}]", 2));
  CHECK(nests_deeper("[[],{}]", 1));
  CHECK_FALSE(nests_deeper(R"({"[[[[": "\"[[[["})", 1));
  CHECK(nests_deeper(R"({"\\": [["x"]]})", 2));
  CHECK_FALSE(nests_deeper("]]]]]]", 0));
  CHECK(nests_deeper(std::string(1 << 20, '['), 1000));
}

TEST_CASE("Identifiers follow C's rule") {
  CHECK(is_identifier("a"));
  CHECK(is_identifier("_1"));
  CHECK(is_identifier("block_size2"));
  CHECK_FALSE(is_identifier(""));
  CHECK_FALSE(is_identifier("1a"));
  CHECK_FALSE(is_identifier("a-b"));
  CHECK_FALSE(is_identifier("µ"));
}

TEST_CASE("A long text is cut to whole lines of its head and tail") {
  CHECK(head_and_tail("short", 5) == "short");
  std::string text;
  for (int k = 0; k < 1000; ++k) text += "line " + std::to_string(k) + "\n";
  const std::string cut = head_and_tail(text, 100);
  CHECK(cut.starts_with("line 0\nline 1\n"));
  CHECK(cut.ends_with("line 998\nline 999\n"));
  CHECK(cut.find(" bytes left out …\nline 99") != std::string::npos);
  CHECK(cut.size() < 150);
  // A single line.
  CHECK(head_and_tail(std::string(1000, 'x'), 100).size() < 150);
  const CompileError error(std::string(1 << 20, 'm'), std::string(1 << 20, 'l'), "");
  CHECK(error.log().size() < kLongestLog + 100);
  CHECK(std::string(error.what()).size() < kLongestLog + 100);
}

TEST_CASE("A list of errors ends when it is full") {
  ErrorList errors;
  for (int k = 0; k < 1000; ++k)
    errors.add(SpecError("error " + std::to_string(k), {"x.yaml", k + 1, 1}));
  CHECK(errors.is_full());
  CHECK(errors.size() == 100);
  const std::string text = test::error_text<SpecErrors>([&] { errors.raise(); });
  CHECK(text.find("error 99") != std::string::npos);
  CHECK(text.find("error 100") == std::string::npos);
  CHECK(text.ends_with("more errors may follow: the first 100 are listed"));
}

}  // namespace
}  // namespace kernelbatch
