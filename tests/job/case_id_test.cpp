#include "core/job/case_id.hpp"

#include <set>

#include "core/job/parse.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

Value int_value(std::int64_t number) { return number; }

TEST_CASE("A case's ID never changes") {
  // Stored in result files: a change here breaks --resume and history.
  CHECK(case_id("saxpy", "1", {{"n", int_value(1000)}, {"dtype", std::string("float32")}}) ==
        "0bf4af1ae15b88a6");
}

TEST_CASE("The order of parameters and inputs is no part of the id") {
  using Inputs = std::vector<std::pair<std::string, std::string>>;
  CHECK(case_id("w", "1", {{"a", int_value(1)}, {"b", int_value(2)}},
                Inputs{{"x", "one"}, {"y", "two"}}) ==
        case_id("w", "1", {{"b", int_value(2)}, {"a", int_value(1)}},
                Inputs{{"y", "two"}, {"x", "one"}}));
}

TEST_CASE("Everything that makes a case is part of the id") {
  using Inputs = std::vector<std::pair<std::string, std::string>>;
  const std::set<std::string> ids{
      case_id("w", "1", {{"a", int_value(1)}}),
      case_id("v", "1", {{"a", int_value(1)}}),
      case_id("w", "2", {{"a", int_value(1)}}),
      case_id("w", "1", {{"a", int_value(2)}}),
      case_id("w", "1", {{"a", 1.0}}),
      case_id("w", "1", {{"a", true}}),
      case_id("w", "1", {{"a", std::string("1")}}),
      case_id("w", "1", {{"b", int_value(1)}}),
      case_id("w", "1", {}),
      case_id("w", "1", {}, Inputs{{"a", "i1"}}),
      case_id("w1", "", {}),
      case_id("", "w1", {}),
  };
  CHECK(ids.size() == 12);
  for (const std::string& id : ids) {
    CHECK(id.size() == 16);
    CHECK(id.find_first_not_of("0123456789abcdef") == std::string::npos);
  }
}

TEST_CASE("An input's description holds source and options in any order") {
  const auto input = [](const std::string& text) {
    return describe_input(
        parse_job("workload: w\ninputs: {x: " + text + "}\n", "x.yaml").workloads[0].inputs[0]);
  };
  CHECK(input("{random: uniform, low: 0, seed: 7}") == input("{seed: 7, random: uniform, low: 0}"));
  CHECK(input("{random: uniform, seed: 7}") != input("{random: uniform, seed: 8}"));
  CHECK(input("5") == input("{scalar: 5}"));
}

}  // namespace
}  // namespace kernelbatch
