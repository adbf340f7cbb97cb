#include "core/report/html.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/made_result.hpp"

namespace kernelbatch {
namespace {

ResultRecord result(const std::string& case_id, Status status) {
  return test::MadeResult("raw", 1e-3, 0.01e-3)
      .in_case(case_id)
      .is(status)
      .with("n", std::int64_t{1024})
      .with("dtype", std::string("float32"))
      .with_samples(50)
      .spread(0.99, 1.01)
      .set(&ResultRecord::flops, 2e6)
      .set(&ResultRecord::bytes_read, 8e6)
      .set(&ResultRecord::bytes_written, 4e6)
      .set(&ResultRecord::speedup, 2)
      .set(&ResultRecord::launches,
           std::vector<LaunchRecord>{{"saxpy", 0, {4, 1, 1}, {256, 1, 1}, 0, 16, 0, 0, 9e-4}})
      .made();
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

/// A member of a result; null if its row is shorter.
nlohmann::json cell_of(const nlohmann::json& data, std::size_t result, const char* name) {
  const auto columns = data.at("result_columns").get<std::vector<std::string>>();
  const auto at = std::find(columns.begin(), columns.end(), name) - columns.begin();
  const nlohmann::json& row = data.at("results").at(result);
  return static_cast<std::size_t>(at) < row.size() ? row.at(static_cast<std::size_t>(at)) : nullptr;
}

TEST_CASE("A page holds every result once, with what the charts need") {
  const auto data =
      data_of(page_of(page_file({result("c1", Status::kOk), result("c2", Status::kOk)})));
  CHECK(data.at("title") == "demo");
  REQUIRE(data.at("results").size() == 2);
  CHECK(data.at("cases").at(1).at(0) == "c2");
  CHECK(data.at("params") == nlohmann::json({"n", "dtype"}));
  const auto cell = [&](const char* name) { return cell_of(data, 0, name); };
  CHECK(cell("median") == 1e-3);
  CHECK(cell("speedup") == 2);
  CHECK(cell("intensity") == Approx(2e6 / 12e6).epsilon(1e-4));
  REQUIRE(cell("quantiles").size() == 41);
  CHECK(cell("quantiles").at(0) == -100);
  CHECK(cell("quantiles").at(40) == 96);
  CHECK(data.at("launches").size() == 2);
}

TEST_CASE("A failure has no time on the page, but its reason") {
  ResultRecord failed = result("c1", Status::kCrashed);
  failed.reason = "killed by signal 11";
  const auto data = data_of(page_of(page_file({failed})));
  CHECK(cell_of(data, 0, "median").is_null());
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

TEST_CASE("No results, and times that are NaN, give a page") {
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

/// `c1` of two variants, `b` of twice the time and twice the bytes of DRAM.
ResultFile counted_file() {
  ResultFile file = page_file({});
  DeviceCalibration calibration;
  calibration.device = "Example GPU";
  calibration.copy_bandwidth = calibration.read_bandwidth = 13e9;
  calibration.float32_rate = 50e12;
  file.calibration = {calibration};
  for (const char* variant : {"a", "b"}) {
    const double factor = variant[0] == 'a' ? 1 : 2;
    ResultRecord record = result("c1", Status::kOk);
    record.variant = variant;
    record.cold.median = record.launches[0].duration = factor * 1e-3;
    record.kernel_launches = 1;
    const auto add = [&](const char* name, double value) {
      record.counters.push_back({"saxpy", 0, EvidenceSource::kCounter, name, value, "1"});
    };
    add("smsp__inst_executed.sum", 1e6);
    add("dram__bytes_read.sum", factor * 8e6);
    add("dram__bytes_write.sum", factor * 4e6);
    add("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 1e6);
    file.results.push_back(record);
  }
  return file;
}

TEST_CASE("A page shows each variant's bottleneck, and why one is slower") {
  const auto data = data_of(page_of(counted_file()));
  CHECK(data.at("has_evidence") == true);
  CHECK(data.at("counter_notes").empty());
  CHECK(data.at("cases_unexplained") == 0);
  CHECK(data.at("reason_columns") ==
        nlohmann::json({"result", "class", "evidence", "counted", "matrix", "values"}));
  REQUIRE(data.at("reasons").size() == 2);
  const auto reason = data.at("reasons").at(1);
  CHECK(reason.at(0) == 1);
  CHECK(data.at("classes").at(reason.at(1).get<std::size_t>()) == "memory bandwidth");
  CHECK_THAT(reason.at(2).get<std::string>(),
             Contains("it moves 24.0 MB of DRAM in 2.00 ms, 92 %"));
  CHECK(reason.at(3) == true);
  CHECK(reason.at(4) == false);
  const auto quantity = [&](const std::string& name) -> nlohmann::json {
    const auto& all = data.at("quantities");
    for (std::size_t k = 0; k < all.size(); ++k)
      if (all.at(k).at(0) == name)
        return k < reason.at(5).size() ? reason.at(5).at(k) : nlohmann::json();
    return "no such quantity";
  };
  CHECK(quantity("dram_bytes") == 24e6);
  CHECK(quantity("float32_operations") == 2e6);
  CHECK(quantity("cache_bytes").is_null());
  CHECK(quantity("no_arithmetic_time").is_null());

  CHECK(data.at("gap_columns") ==
        nlohmann::json({"slow", "fast", "ratio", "seconds", "sentence", "unexplained", "shares"}));
  REQUIRE(data.at("gaps").size() == 1);
  const auto gap = data.at("gaps").at(0);
  CHECK(gap.at(0) == 1);
  CHECK(gap.at(1) == 0);
  CHECK(gap.at(2) == 2);
  CHECK(gap.at(3) == 1e-3);
  CHECK_THAT(gap.at(4).get<std::string>(), Contains("b is 2.00x slower than a: it moves 2x"));
  REQUIRE(gap.at(6).size() == 1);
  CHECK_THAT(gap.at(6).at(0).at(0).get<std::string>(), Contains("bytes of DRAM"));
  const double share = gap.at(6).at(0).at(2);
  CHECK(share == Approx(12e6 / 13e9 / 1e-3).epsilon(1e-3));
  CHECK(gap.at(5) == Approx(1 - share).epsilon(1e-3));
}

TEST_CASE("A page holds the ceilings that were measured, and no others") {
  const auto calibration = data_of(page_of(counted_file())).at("calibration").at(0);
  CHECK(calibration.at("copy") == 13e9);
  CHECK(calibration.at("float32") == 50e12);
  for (const char* unknown : {"cache", "float64", "float16", "tensor"})
    CHECK(calibration.at(unknown).is_null());
}

TEST_CASE("Reasons of several files belong to their results") {
  const std::vector<ResultFile> files{page_file({result("c1", Status::kCrashed)}), counted_file()};
  const auto data = data_of(to_html(files));
  REQUIRE(data.at("reasons").size() == 2);
  CHECK(data.at("reasons").at(0).at(0) == 1);
  CHECK(data.at("gaps").at(0).at(0) == 2);
  CHECK(data.at("gaps").at(0).at(1) == 1);
}

TEST_CASE("A page marks kernels that use the matrix units, whose operations are not counted") {
  ResultFile file = counted_file();
  file.results[0].counters.push_back(
      {"saxpy", -1, EvidenceSource::kStatic, "instructions_matrix", 8, "1"});
  const auto reasons = data_of(page_of(file)).at("reasons");
  CHECK(reasons.at(0).at(4) == true);
  CHECK(reasons.at(1).at(4) == false);
}

TEST_CASE("A page reports missing evidence, and why there are no counters") {
  CHECK(data_of(page_of(page_file({result("c1", Status::kOk)}))).at("has_evidence") == false);
  ResultRecord refused = result("c1", Status::kOk);
  refused.notes = parse_notes("few samples; no hardware counters: not permitted; noisy");
  const auto notes = data_of(page_of(page_file({refused, result("c2", Status::kOk), refused})))
                         .at("counter_notes");
  CHECK(notes == nlohmann::json({"no hardware counters: not permitted"}));
}

TEST_CASE("If there are too many cases, a page explains the first, and counts the rest") {
  std::vector<ResultRecord> results;
  for (int k = 0; k < 1500; ++k)
    for (const char* variant : {"a", "b", "c"}) {
      results.push_back(result(fmt::format("c{}", k), Status::kOk));
      results.back().variant = variant;
      results.back().samples.clear();
    }
  const auto data = data_of(page_of(page_file(std::move(results))));
  // Whole cases: the 667th begins before the 2000th result.
  CHECK(data.at("reasons").size() == 2001);
  CHECK(data.at("gaps").size() == 2 * 667);
  CHECK(data.at("cases_unexplained") == 1500 - 667);
  CHECK(data.at("results").size() == 4500);
}

TEST_CASE("A page holds the tries of each search as columns") {
  std::vector<ResultRecord> results{result("c0", Status::kOk)};
  for (int k = 0; k < 4; ++k) {
    ResultRecord record = result(fmt::format("t{}", k), Status::kOk);
    record.kind = VariantKind::kRaw;
    record.tuned = "block lanes";
    record.params = {{"n", std::int64_t{1024}},
                     {"block", std::int64_t{32} << k / 2},
                     {"lanes", k % 2 == 0 ? Value(std::string("auto")) : Value(std::int64_t{2})}};
    record.cold.median *= k / 2 + 1;
    record.cold.ci95_low = record.cold.ci95_high = record.cold.median;
    record.start_ns = (10 - k) * 1'000'000'000LL;
    record.end_ns = record.start_ns + 250'000'000;
    results.push_back(record);
  }
  results[2].status = Status::kDropped;
  results[3].status = Status::kCompileFailed;
  ResultFile file = page_file(std::move(results));
  const std::vector<ResultFile> files{file, file};
  const auto data = data_of(to_html(files));
  REQUIRE(data.at("tuning").size() == 2);
  const auto first = data.at("tuning").at(0), second = data.at("tuning").at(1);
  CHECK(first.at("names") == nlohmann::json({"block", "lanes"}));
  CHECK(first.at("tries") == nlohmann::json({4, 3, 2, 1}));
  CHECK(first.at("times") == nlohmann::json({2e-3, nullptr, 1e-3, 1e-3}));
  CHECK(first.at("ends") == nlohmann::json({0.25, 1.25, 2.25, 3.25}));
  CHECK(first.at("shares") == nlohmann::json({1, 0}));
  CHECK(first.at("values") == nlohmann::json({2, 2}));
  CHECK(first.at("best") == 1);
  CHECK(first.at("as_good") == 1);
  CHECK(second.at("tries") == nlohmann::json({9, 8, 7, 6}));
  // Results of dropped tries have no time: they are not ranked.
  CHECK(cell_of(data, 2, "median").is_null());

  for (ResultRecord& record : file.results) record.status = Status::kCrashed;
  const auto failed = data_of(page_of(file)).at("tuning").at(0);
  CHECK(failed.at("best").is_null());
  CHECK(failed.at("shares") == nlohmann::json({nullptr, nullptr}));
  CHECK(data_of(page_of(page_file({result("c1", Status::kOk)}))).at("tuning").empty());
}

TEST_CASE("A page with 10,000 tries keeps few bytes each") {
  std::vector<ResultRecord> results;
  for (int k = 0; k < 10'000; ++k) {
    results.push_back(result(fmt::format("{:016x}", k), Status::kOk));
    results.back().tuned = "block";
    results.back().kind = VariantKind::kRaw;
    results.back().params.emplace_back("block", std::int64_t{k});
    results.back().cold.median = 1.2345e-4 * (1 + 1e-4 * k);
    results.back().samples.clear();
    results.back().launches.clear();
    results.back().start_ns = k * 1'234'567'890LL;
    results.back().end_ns = results.back().start_ns + 1'000'000;
  }
  const auto data = data_of(page_of(page_file(std::move(results))));
  CHECK(data.at("tuning").at(0).at("tries").size() == 10'000);
  CHECK(data.at("tuning").dump().size() < 300'000);
}

TEST_CASE("The page loads nothing") {
  const std::string page = page_of(page_file({result("c1", Status::kOk)}));
  CHECK_THAT(page, Contains("default-src 'none'"));
  for (const char* outside : {"src=\"http", "href=\"http", "url(http", "@import", "fetch("})
    CHECK(page.find(outside) == std::string::npos);
}

}  // namespace
}  // namespace kernelbatch
