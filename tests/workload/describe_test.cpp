#include "core/workload/describe.hpp"

#include "core/base/error.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

TEST_CASE("What a workload declares survives its way to the supervisor") {
  const WorkloadInfo sent{
      .name = "demo",
      .version = "2",
      .summary = "a \"quoted\" summary, n ≥ 1",
      .parameters = {integer_parameter("n", std::int64_t{1} << 60, 1, 1e18, "how many"),
                     real_parameter("x", 0.1, -1, 1, ""),
                     choice_parameter("dtype", "float32", {"float32", "float64"}, "type"),
                     {"flag", ParameterType::kBoolean, true, "", {}, {}, {}}},
      .inputs = {{"a", "first"}, {"b", ""}},
      .outputs = {{"z", "the result"}},
      .variants = {{"reference", VariantKind::kReference, "slow", nullptr},
                   {"library", VariantKind::kLibrary, "", nullptr}}};

  const WorkloadInfo got = workload_info_from_json(to_json(sent));

  CHECK(got.name == sent.name);
  CHECK(got.version == sent.version);
  CHECK(got.summary == sent.summary);
  REQUIRE(got.parameters.size() == sent.parameters.size());
  for (std::size_t k = 0; k < sent.parameters.size(); ++k) {
    CHECK(got.parameters[k].name == sent.parameters[k].name);
    CHECK(got.parameters[k].type == sent.parameters[k].type);
    CHECK(got.parameters[k].default_value == sent.parameters[k].default_value);
    CHECK(got.parameters[k].help == sent.parameters[k].help);
    CHECK(got.parameters[k].minimum == sent.parameters[k].minimum);
    CHECK(got.parameters[k].maximum == sent.parameters[k].maximum);
    CHECK(got.parameters[k].choices == sent.parameters[k].choices);
  }
  REQUIRE(got.inputs.size() == 2);
  CHECK(got.inputs[0].name == "a");
  CHECK(got.inputs[0].help == "first");
  CHECK(got.outputs == sent.outputs);
  REQUIRE(got.variants.size() == 2);
  CHECK(got.variants[1].name == "library");
  CHECK(got.variants[1].kind == VariantKind::kLibrary);
  CHECK(got.variants[1].prepare == nullptr);
}

TEST_CASE("Other text is no description") {
  CHECK_THROWS_AS(workload_info_from_json(""), RunError);
  CHECK_THROWS_AS(workload_info_from_json("[]"), RunError);
  CHECK_THROWS_WITH(workload_info_from_json("{\"name\": 1}"),
                    Contains("a workload's description cannot be read"));
}

TEST_CASE("A description of bytes that are not UTF-8 is still told") {
  WorkloadInfo info;
  info.name = "demo";
  info.summary = "latin-1: \xfc";
  CHECK_THAT(workload_info_from_json(to_json(info)).summary, Contains("latin-1"));
}

}  // namespace
}  // namespace kernelbatch
