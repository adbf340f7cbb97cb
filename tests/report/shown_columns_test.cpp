// Columns of results: one row of the schema decides where each is shown.
#include "core/report/shown_columns.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/report/page/data/page_data.hpp"
#include "core/report/table.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/made_result.hpp"

namespace kernelbatch {
namespace {

std::vector<std::string> headings(const std::vector<ShownColumn>& columns) {
  std::vector<std::string> texts;
  for (const ShownColumn& column : columns) texts.emplace_back(column.shown.heading);
  return texts;
}

TEST_CASE("Tables have their columns in order") {
  CHECK(headings(text_columns()) == std::vector<std::string>{"variant", "status", "median",
                                                             "± 95 %", "GB/s", "ceiling",
                                                             "speed-up", "error", "device"});
  CHECK(headings(export_columns()) == std::vector<std::string>{"workload", "parameters", "variant",
                                                               "status", "median", "± 95 %", "GB/s",
                                                               "speed-up", "error"});
}

TEST_CASE("A column of the schema is shown with the form of its unit") {
  const ResultRecord record = test::MadeResult("raw", 2e-3).made();
  const auto text_of = [&](std::string_view name, const schema::Shown& how) {
    const auto columns = schema::results();
    const auto found = std::ranges::find_if(
        columns, [&](const ShownColumn& column) { return column.info.name == name; });
    return shown_text(found->as(how), record);
  };
  CHECK(text_of("cold_median", {.heading = "cold"}) == "2.00 ms");
  CHECK(text_of("cold_samples", {.heading = "samples"}) == "10");
  CHECK(text_of("variant", {.heading = "variant"}) == "raw");
  CHECK(text_of("energy", {.heading = "energy", .missing = "none"}) == "none");
  CHECK(text_of("cold_median", {.heading = "x", .form = schema::Form::kRatio}) == "0.00x");
}

TEST_CASE("Every column of a table is among those that it reads") {
  const auto names = table_columns();
  for (const auto& column : schema::results())
    if (!column.shown.heading.empty())
      CHECK(std::ranges::find(names, column.info.name) != names.end());
}

TEST_CASE("The page has each shown member once, and describes the columns of its table") {
  ResultFile file;
  file.results = {test::MadeResult("raw", 2e-3).made()};
  file.environment_of = file.job_of = {-1};
  const auto data = nlohmann::json::parse(page_data(std::span(&file, 1), "title", "today"));
  const auto members = data.at("result_columns").get<std::vector<std::string>>();
  const std::set<std::string> distinct(members.begin(), members.end());
  CHECK(distinct.size() == members.size());
  for (const ShownColumn& column : shown_columns())
    if (!column.shown.member.empty()) CHECK(distinct.contains(std::string(column.shown.member)));
  for (const auto& column : data.at("result_table"))
    CHECK(distinct.contains(column.at("member").get<std::string>()));
}

}  // namespace
}  // namespace kernelbatch
