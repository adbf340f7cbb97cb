#include "core/kernel/text/code_template.hpp"

#include <stdexcept>

#include "tests/support/catch.hpp"
#include "tests/support/error_text.hpp"

namespace kernelbatch {
namespace {

std::string error(std::string_view text, const std::map<std::string, std::string>& values) {
  return test::error_text<std::logic_error>([&] { fill_template(text, values); });
}

TEST_CASE("Placeholders are replaced, braces and dollars are kept") {
  CHECK(fill_template("${a} { $b } ${a}${c}", {{"a", "1"}, {"c", "}"}}) == "1 { $b } 1}");
  CHECK(fill_template("", {}).empty());
}

TEST_CASE("Values are not templates themselves") {
  CHECK(fill_template("${a}", {{"a", "${b}"}}) == "${b}");
}

TEST_CASE("Placeholders without values, unused values and unclosed placeholders are errors") {
  CHECK(error("${a}", {}) == "the template's hole ${a} has no value");
  CHECK(error("", {{"a", "1"}}) == "the template has no hole ${a}");
  CHECK(error("${a", {{"a", "1"}}) == "a template's hole has no end");
}

}  // namespace
}  // namespace kernelbatch
