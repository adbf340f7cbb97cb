#include "core/report/html.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

ResultRecord result(const std::string& case_id, Status status) {
  ResultRecord record;
  record.case_id = case_id;
  record.workload = "saxpy";
  record.variant = "raw";
  record.device = "Example GPU";
  record.status = status;
  record.params = {{"n", std::int64_t{1024}}, {"dtype", std::string("float32")}};
  record.cold.median = 1e-3;
  record.cold.ci95_low = 0.99e-3;
  record.cold.ci95_high = 1.01e-3;
  record.cold.samples = 50;
  for (int k = 0; k < 50; ++k)
    record.samples.push_back({SampleKind::kCold, k, 1e-3 * (0.99 + 4e-4 * k)});
  record.flops = 2e6;
  record.bytes_read = 8e6;
  record.bytes_written = 4e6;
  record.speedup = 2;
  record.launches = {{"saxpy", 0, {4, 1, 1}, {256, 1, 1}, 0, 16, 0, 0, 9e-4}};
  return record;
}

ResultFile page_file(std::vector<ResultRecord> results) {
  ResultFile file{.path = "r.h5"};
  file.results = std::move(results);
  file.jobs = {{"demo", "", "", ""}};
  return file;
}

std::string page_of(const ResultFile& file) { return to_html(std::span(&file, 1)); }

nlohmann::json data_of(const std::string& page) {
  const std::string before = "id=\"data\">";
  const std::size_t begin = page.find(before) + before.size();
  return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST_CASE("A page holds every result once, with what the charts need") {
  const auto data =
      data_of(page_of(page_file({result("c1", Status::kOk), result("c2", Status::kOk)})));
  CHECK(data.at("title") == "demo");
  REQUIRE(data.at("results").size() == 2);
  CHECK(data.at("cases").at(1).at(0) == "c2");
  CHECK(data.at("params") == nlohmann::json({"n", "dtype"}));
  const auto columns = data.at("result_columns").get<std::vector<std::string>>();
  const auto cell = [&](const char* name) {
    const auto at = std::find(columns.begin(), columns.end(), name) - columns.begin();
    return data.at("results").at(0).at(static_cast<std::size_t>(at));
  };
  CHECK(cell("median") == 1e-3);
  CHECK(cell("speedup") == 2);
  CHECK(cell("intensity") == Approx(2e6 / 12e6).epsilon(1e-4));
  REQUIRE(cell("quantiles").size() == 41);
  CHECK(cell("quantiles").at(0) == -100);
  CHECK(cell("quantiles").at(40) == 96);
  CHECK(data.at("launches").size() == 2);
}

TEST_CASE("What failed has no time on the page, but its reason") {
  ResultRecord failed = result("c1", Status::kCrashed);
  failed.reason = "killed by signal 11";
  const auto data = data_of(page_of(page_file({failed})));
  CHECK(data.at("results").at(0).at(4).is_null());
  CHECK_THAT(data.at("results").at(0).dump(), Contains("killed by signal 11"));
}

TEST_CASE("No text of a result ends the page's script or becomes an element") {
  ResultRecord evil = result("c1", Status::kFailed);
  evil.reason = "</script><script>alert(1)</script><!-- ${data} \xff";
  evil.workload = "<b>";
  ResultFile file = page_file({evil});
  file.jobs[0].name = "<script>${style}</script>";
  const std::string page = page_of(file);
  CHECK(page.find("alert(1)</script>") == std::string::npos);
  CHECK(page.find("<script>${style}") == std::string::npos);
  std::size_t scripts = 0;
  for (std::size_t at = 0; (at = page.find("</script>", at)) != std::string::npos; ++at) ++scripts;
  CHECK(scripts == 2);
  CHECK_THAT(data_of(page).at("results").at(0).dump(), Contains("alert(1)"));
}

TEST_CASE("Nothing, and times that are NaN, make a page") {
  CHECK(data_of(page_of(page_file({}))).at("results").empty());
  ResultRecord untimed = result("c1", Status::kOk);
  untimed.cold = {};
  untimed.samples.clear();
  CHECK(page_of(page_file({untimed})).find("nan") == std::string::npos);
}

TEST_CASE("Several files keep their cases apart, and environments are named once") {
  ResultFile a = page_file({result("c1", Status::kOk)});
  a.environments = {{{{"host", std::string("node1")}}}};
  const std::vector<ResultFile> files{a, a};
  const auto data = data_of(to_html(files));
  CHECK(data.at("cases").size() == 2);
  CHECK(data.at("environments").size() == 1);
  CHECK(data.at("files").size() == 2);
}

TEST_CASE("The page asks for nothing from anywhere") {
  const std::string page = page_of(page_file({result("c1", Status::kOk)}));
  CHECK_THAT(page, Contains("default-src 'none'"));
  for (const char* outside : {"src=\"http", "href=\"http", "url(http", "@import", "fetch("})
    CHECK(page.find(outside) == std::string::npos);
}

}  // namespace
}  // namespace kernelbatch
