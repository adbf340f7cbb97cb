#include "core/base/value.hpp"

#include <cmath>

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

TEST_CASE("Values are written as in jobs") {
  CHECK(to_text(Value(true)) == "true");
  CHECK(to_text(Value(std::int64_t{-1000000})) == "-1000000");
  CHECK(to_text(Value(0.1)) == "0.1");
  CHECK(to_text(Value(5.0)) == "5.0");
  CHECK(to_text(Value(-0.0)) == "-0.0");
  CHECK(to_text(Value(1e300)) == "1e+300");
  CHECK(to_text(Value(INFINITY)) == "inf");
  CHECK(to_text(Value(std::string("float64"))) == "float64");
}

TEST_CASE("Named values are written in order and found by name") {
  const NamedValues values{{"n", std::int64_t{4}}, {"dtype", std::string("int8")}};
  CHECK(to_text(values) == "n=4 dtype=int8");
  CHECK(to_text(NamedValues{}).empty());
  REQUIRE(find_value(values, "n") != nullptr);
  CHECK(*find_value(values, "n") == Value(std::int64_t{4}));
  CHECK(find_value(values, "N") == nullptr);
}

}  // namespace
}  // namespace kernelbatch
