#include "core/kernel/text/parameter.hpp"

#include "core/base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/error_text.hpp"

namespace kernelbatch {
namespace {

std::string error(std::string_view text) {
  return test::error_text<SpecError>([&] { parse_parameters(text, "in_params"); });
}

TEST_CASE("A list of parameters is read, whatever its spaces") {
  const std::vector<Parameter> list =
      parse_parameters("T x,raw  float32\ty , \n bfloat16 z_1", "in");
  REQUIRE(list.size() == 3);
  CHECK(list[0].name == "x");
  CHECK(list[0].type == "T");
  CHECK_FALSE(list[0].dtype.has_value());
  CHECK_FALSE(list[0].is_raw);
  CHECK(list[1].is_raw);
  CHECK(parse_parameters("raw _non_const T x", "in_params")[0].is_non_const);
  CHECK(list[1].dtype == DType::kFloat32);
  CHECK(list[2].name == "z_1");
  CHECK(list[2].dtype == DType::kBFloat16);
}

TEST_CASE("An empty text is an empty list") {
  CHECK(parse_parameters("", "in").empty());
  CHECK(parse_parameters("  \n", "in").empty());
}

TEST_CASE("Each error is quoted with a caret under it") {
  CHECK(error("T x, y") ==
        "in_params: 'y' has no name: expected [raw] TYPE NAME\n"
        "  T x, y\n"
        "       ^");
  CHECK(error("T x, cooked T y") ==
        "in_params: unknown qualifier 'cooked': only 'raw' is known\n"
        "  T x, cooked T y\n"
        "       ^");
  CHECK(error("raw T x z") ==
        "in_params: too many words: expected [raw] TYPE NAME\n"
        "  raw T x z\n"
        "          ^");
  CHECK(error("_non_const T x, T y") ==
        "in_params: _non_const is of raw arrays: what changes element by element is an output\n"
        "  _non_const T x, T y\n"
        "             ^");
  CHECK(error("T 2x") ==
        "in_params: '2x' is not a name\n"
        "  T 2x\n"
        "    ^");
  CHECK(error("T x, float31 y") ==
        "in_params: unknown type 'float31' (did you mean 'float32'?)\n"
        "  T x, float31 y\n"
        "       ^");
}

TEST_CASE("A missing parameter is pointed at") {
  CHECK_THAT(error("T x,"), Contains("a parameter is missing here\n  T x,\n      ^"));
  CHECK_THAT(error(",T x"), Contains("a parameter is missing here\n  ,T x\n  ^"));
  CHECK_THAT(error("T x,,T y"), Contains("a parameter is missing here"));
}

TEST_CASE("Reserved names are refused") {
  for (const char* name : {"i", "n", "_ind", "_x", "_"})
    CHECK_THAT(error(std::string("T ") + name),
               Contains("is reserved (i, n and names that begin with _)"));
  CHECK_NOTHROW(parse_parameters("T ii, T nn, T i_", "in"));
}

TEST_CASE("A placeholder is one letter") {
  CHECK_THAT(error("TT x"), Contains("unknown type 'TT'"));
  CHECK_THAT(error("_ x"), Contains("unknown type '_'"));
  CHECK_THAT(error("1 x"), Contains("unknown type '1'"));
}

TEST_CASE("Every dtype's name is a type") {
  for (const std::string& name : dtype_names()) {
    const std::vector<Parameter> list = parse_parameters(name + " x", "in");
    CHECK(name_of(*list[0].dtype) == name);
  }
}

TEST_CASE("A name is unique among inputs and outputs") {
  const auto in = parse_parameters("T x, T y", "in");
  CHECK_NOTHROW(require_distinct(in, parse_parameters("T z", "out")));
  CHECK(test::error_text<SpecError>([&] {
          require_distinct(in, parse_parameters("T y", "out"));
        }) == "the parameter name 'y' is used twice");
}

}  // namespace
}  // namespace kernelbatch
