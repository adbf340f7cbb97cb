#include <nlohmann/json.hpp>
#include <regex>

#include "tests/app/command.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/paths.hpp"

namespace kernelbatch {
namespace {

std::string recorded() { return test::source_folder() + "/data/tuning/pnpoly_rtx3090.json.gz"; }

TEST_CASE("A replay prints its curve, and its score as the last line") {
  const auto result = test::command(
      {"tune", "--replay", recorded(), "--search", "local", "--repeats", "3", "--seed", "7"});
  CHECK(result.exit_status == 0);
  CHECK_THAT(result.output, Contains("pnpoly RTX 3090: 4092 configurations, best 8.71 ms"));
  CHECK_THAT(result.output, Contains("within 5 % of the best in nine of ten repeats:"));
  const std::string last =
      result.output.substr(result.output.rfind('\n', result.output.size() - 2) + 1);
  CHECK(std::regex_match(
      last, std::regex(R"(P = -?[0-9]\.[0-9]{3} \(pnpoly RTX 3090, local, 3 repeats\)\n)")));
}

TEST_CASE("Several spaces have a score each and a mean, in JSON a row each") {
  const auto text = test::command(
      {"tune", "--replay", recorded(), recorded(), "--search", "random", "--repeats", "2"});
  CHECK_THAT(text.output, Contains("(mean of 2 spaces, random, 2 repeats)\n"));
  const auto json = test::command(
      {"tune", "--replay", recorded(), "--search", "random", "--repeats", "2", "--json"});
  const auto rows = nlohmann::json::parse(json.output);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["configurations"] == 4092);
  CHECK(rows[0]["curve"].size() == 50);
  CHECK(rows[0]["curve"][49]["time"] == rows[0]["cutoff"]);
}

TEST_CASE("A file that cannot be replayed ends with 2 and the reason") {
  const auto missing = test::command({"tune", "--replay", "/nowhere/x.json"});
  CHECK(missing.exit_status == 2);
  CHECK_THAT(missing.output, Contains("/nowhere/x.json: cannot be opened"));
  const auto search = test::command({"tune", "--replay", recorded(), "--search", "genetik"});
  CHECK(search.exit_status == 2);
  CHECK_THAT(search.output, Contains("genetic"));
  CHECK(test::command({"tune"}).exit_status == 2);
  CHECK(test::command({"tune", "--replay", recorded(), "--repeats", "0"}).exit_status == 2);
}

}  // namespace
}  // namespace kernelbatch
