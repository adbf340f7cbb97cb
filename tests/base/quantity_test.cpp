#include "core/base/quantity.hpp"

#include <cmath>
#include <limits>

#include "tests/support/catch.hpp"
#include "tests/support/message.hpp"

namespace kernelbatch {
namespace {

using test::message_of;

TEST_CASE("Integers are read in every spelling, exactly") {
  CHECK(parse_integer("0") == 0);
  CHECK(parse_integer("-0") == 0);
  CHECK(parse_integer("42") == 42);
  CHECK(parse_integer("+42") == 42);
  CHECK(parse_integer("1_000_000") == 1000000);
  CHECK(parse_integer("1e6") == 1000000);
  CHECK(parse_integer("1.5e3") == 1500);
  CHECK(parse_integer("10.0") == 10);
  CHECK(parse_integer("100e-2") == 1);
  CHECK(parse_integer("2^20") == 1048576);
  CHECK(parse_integer("2^0") == 1);
  CHECK(parse_integer("-2^2") == -4);
  CHECK(parse_integer("4Ki") == 4096);
  CHECK(parse_integer("1.5Ki") == 1536);
  CHECK(parse_integer("2k") == 2000);
  CHECK(parse_integer(" 7 ") == 7);
}

TEST_CASE("Integers reach both ends of 64 bits") {
  CHECK(parse_integer("9223372036854775807") == std::numeric_limits<std::int64_t>::max());
  CHECK(parse_integer("-9223372036854775808") == std::numeric_limits<std::int64_t>::min());
  CHECK(parse_integer("9007199254740993") == 9007199254740993);
  CHECK_FALSE(try_parse_integer("9223372036854775808"));
  CHECK_FALSE(try_parse_integer("-9223372036854775809"));
  CHECK_FALSE(try_parse_integer("1e19"));
  CHECK_FALSE(try_parse_integer("2^63"));
  CHECK(try_parse_integer("-2^63") == std::numeric_limits<std::int64_t>::min());
  CHECK_FALSE(try_parse_integer("8Ti^8"));
}

TEST_CASE("What is no integer is refused") {
  for (const char* text :
       {"",      "-",     ".",  "e6", "1.5",  "1e-3", "0x10", "1__0", "_1",  "1_",
        "1 000", "12abc", "2^", "^2", "2^-1", "inf",  "nan",  "1e",   "--1", "1.2.3"}) {
    INFO(text);
    CHECK_FALSE(try_parse_integer(text));
  }
  CHECK(message_of([] { parse_integer("1.5"); }) ==
        "'1.5' is not an integer of 64 bits (expected for example 1000000, 1_000_000, 1e6, 2^20 or "
        "4Ki)");
}

TEST_CASE("Reals are read in every spelling") {
  CHECK(parse_real("0.1") == 0.1);
  CHECK(parse_real("1e-3") == 1e-3);
  CHECK(parse_real("2^-3") == 0.125);
  CHECK(parse_real("4Ki") == 4096);
  CHECK(parse_real("1_000.5") == 1000.5);
  CHECK(std::signbit(parse_real("-0.0")));
  CHECK(parse_real("1e300") == 1e300);
  CHECK(parse_real("-.inf") == -std::numeric_limits<double>::infinity());
  CHECK(std::isnan(parse_real("nan")));
  CHECK(message_of([] { parse_real("fast"); }) ==
        "'fast' is not a number (expected for example 0.5, 1e-3, 1_000 or 2^-3)");
}

TEST_CASE("Truth values are true and false only") {
  CHECK(parse_boolean("true"));
  CHECK_FALSE(parse_boolean("False"));
  CHECK(message_of([] { parse_boolean("yes"); }) ==
        "'yes' is not a truth value (expected true or false)");
}

TEST_CASE("Times have units and Slurm's clock form") {
  CHECK(parse_seconds("120") == 120);
  CHECK(parse_seconds("0.5s") == 0.5);
  CHECK(parse_seconds("2min") == 120);
  CHECK(parse_seconds("2 min") == 120);
  CHECK(parse_seconds("1h30min") == 5400);
  CHECK(parse_seconds("100us") == Approx(1e-4));
  CHECK(parse_seconds("1e-05s") == 1e-5);
  CHECK(parse_seconds("1d") == 86400);
  CHECK(parse_seconds("00:30:00") == 1800);
  CHECK(parse_seconds("05:30") == 330);
  CHECK(parse_seconds("1-12:00:00") == 129600);
  CHECK(parse_seconds("0") == 0);
  for (const char* text : {"", "s", "-1s", "5 parsecs", "00:61:00", "1:2:3:4", "1:", "inf"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_seconds(text), SpecError);
  }
  CHECK(message_of([] { parse_seconds("soon"); }) ==
        "'soon' is not a time (expected for example 120, 0.5s, 2min, 1h30min or 00:30:00)");
}

TEST_CASE("Shares are percents or fractions from 0 to 1") {
  CHECK(parse_fraction("0.5%") == Approx(0.005));
  CHECK(parse_fraction("80 %") == Approx(0.8));
  CHECK(parse_fraction("0.005") == 0.005);
  CHECK(parse_fraction("100%") == 1);
  CHECK(message_of([] { parse_fraction("5"); }) ==
        "'5' is not a share from 0 to 1 (expected for example 0.5% or 0.005)");
  CHECK_THROWS_AS(parse_fraction("-1%"), SpecError);
  CHECK_THROWS_AS(parse_fraction("nan"), SpecError);
}

TEST_CASE("Sizes are bytes with binary and decimal units") {
  CHECK(parse_bytes("4096") == 4096);
  CHECK(parse_bytes("512 B") == 512);
  CHECK(parse_bytes("2 GiB") == std::int64_t{2} << 30);
  CHECK(parse_bytes("4Ki") == 4096);
  CHECK(parse_bytes("80GB") == 80'000'000'000);
  CHECK(parse_bytes("1.5 MiB") == 1572864);
  CHECK(message_of([] { parse_bytes("-1"); }) ==
        "'-1' is not a size in bytes (expected for example 4096, 2 GiB or 80GB)");
}

}  // namespace
}  // namespace kernelbatch
