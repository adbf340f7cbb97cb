#include "core/workload/params.hpp"

#include <stdexcept>

#include "tests/support/catch.hpp"
#include "tests/support/message.hpp"

namespace kernelbatch {
namespace {

const ParameterDeclaration kCount = integer_parameter("n", 10, 1, 1e6, "");
const ParameterDeclaration kScale = real_parameter("scale", 1, -1, 1, "");
const ParameterDeclaration kDType =
    choice_parameter("dtype", "float64", {"float32", "float64"}, "");
const ParameterDeclaration kFlag{"flag", ParameterType::kBoolean, false, "", {}, {}, {}, false};
const ParameterDeclaration kText{"text", ParameterType::kText, std::string(), "", {}, {}, {},
                                 false};

std::string refusal_of(const ParameterDeclaration& declaration, const std::string& text) {
  return test::message_of([&] { typed_value(declaration, text); });
}

TEST_CASE("Values have the declared type, however they are written") {
  CHECK(typed_value(kCount, "1_000") == Value(std::int64_t{1000}));
  CHECK(typed_value(kCount, "1e3") == Value(std::int64_t{1000}));
  CHECK(typed_value(kCount, "2^10") == Value(std::int64_t{1024}));
  CHECK(typed_value(kCount, "4Ki") == Value(std::int64_t{4096}));
  CHECK(typed_value(kScale, "1") == Value(1.0));
  CHECK(typed_value(kFlag, "true") == Value(true));
  CHECK(typed_value(kDType, "float32") == Value(std::string("float32")));
  CHECK(typed_value(kText, "anything: at all") == Value(std::string("anything: at all")));
}

TEST_CASE("Both ends of a range belong to it") {
  CHECK(typed_value(kCount, "1") == Value(std::int64_t{1}));
  CHECK(typed_value(kCount, "1e6") == Value(std::int64_t{1'000'000}));
  CHECK(refusal_of(kCount, "0") == "parameter 'n': 0 is out of range: from 1 to 1000000");
  CHECK(refusal_of(kCount, "1000001") ==
        "parameter 'n': 1000001 is out of range: from 1 to 1000000");
  CHECK(refusal_of(kScale, "-1.5") == "parameter 'scale': -1.5 is out of range: from -1 to 1");
}

TEST_CASE("A range with one end is reported as such") {
  ParameterDeclaration least = kCount;
  least.maximum.reset();
  ParameterDeclaration most = kCount;
  most.minimum.reset();
  CHECK(refusal_of(least, "0") == "parameter 'n': 0 is out of range: at least 1");
  CHECK(refusal_of(most, "2e6") == "parameter 'n': 2e6 is out of range: at most 1000000");
}

TEST_CASE("Values of another type are refused by the parameter's name") {
  CHECK_THAT(refusal_of(kCount, "1.5"), Contains("parameter 'n': '1.5' is not an integer"));
  CHECK_THAT(refusal_of(kCount, ""), Contains("parameter 'n': "));
  CHECK_THAT(refusal_of(kCount, "1e30"), Contains("parameter 'n': "));
  CHECK_THAT(refusal_of(kCount, "true"), Contains("parameter 'n': "));
  CHECK_THAT(refusal_of(kScale, "wide"), Contains("parameter 'scale': 'wide' is not"));
  CHECK(refusal_of(kFlag, "yes") == "parameter 'flag': expected true or false, not 'yes'");
  CHECK(refusal_of(kDType, "float65") ==
        "parameter 'dtype': 'float65' is not a choice (did you mean 'float64'?)");
  CHECK(refusal_of(kDType, "bool") ==
        "parameter 'dtype': 'bool' is not a choice (known: float32, float64)");
}

TEST_CASE("NaN is out of every range") {
  CHECK_FALSE(refusal_of(kScale, "nan").empty());
  CHECK_FALSE(refusal_of(kScale, "inf").empty());
  CHECK_FALSE(refusal_of(kScale, "-inf").empty());
}

TEST_CASE("Using an undeclared parameter is an error of the workload") {
  const Params params(
      {{"n", std::int64_t{3}}, {"dtype", std::string("float32")}, {"other", std::string("x")}});
  CHECK(params.integer("n") == 3);
  CHECK(params.dtype() == DType::kFloat32);
  CHECK_THROWS_AS(params.integer("m"), std::logic_error);
  CHECK_THROWS_AS(params.real("n"), std::logic_error);
  CHECK_THROWS_AS(params.dtype("other"), std::logic_error);
}

TEST_CASE("Missing tuning parameters have their defaults") {
  const std::vector<ParameterDeclaration> declared{
      kCount, tuning_parameter(integer_parameter("block", 256, 1, 1024, "")),
      tuning_parameter(integer_parameter("items", 4, 1, 64, ""))};
  const Params params({{"n", std::int64_t{7}}, {"items", std::int64_t{2}}}, declared);
  CHECK(params.integer("n") == 7);
  CHECK(params.integer("block") == 256);
  CHECK(params.integer("items") == 2);
  // Other parameters are completed by the plan: a missing one is an error.
  CHECK_THROWS_AS(Params(NamedValues{}, declared).integer("n"), std::logic_error);
}

}  // namespace
}  // namespace kernelbatch
