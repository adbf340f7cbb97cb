#include "core/report/page/data/page_warnings.hpp"

#include <nlohmann/json.hpp>

#include "core/report/page/data/page_checks.hpp"
#include "core/report/page/data/page_data.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/made_result.hpp"

namespace kernelbatch {
namespace {

ResultRecord timed_on(const std::string& device, const std::string& variant) {
  return test::MadeResult(variant).in_case("c1").on(device).made();
}

ResultFile quiet_file(std::vector<ResultRecord> results) {
  ResultFile file{.path = "r.h5"};
  file.results = std::move(results);
  return file;
}

nlohmann::json warnings_of(const ResultFile& file) {
  PageWarnings warnings;
  warnings.add(file);
  return nlohmann::json(warnings.list());
}

TEST_CASE("A page first warns that its times are simulated") {
  const auto host = timed_on("host Example CPU", "raw"), gpu = timed_on("Example GPU", "jit");
  const auto all = warnings_of(quiet_file({host}));
  REQUIRE(all.size() == 1);
  CHECK(all.at(0).at(0) == "simulation");
  CHECK_THAT(
      all.at(0).at(1).get<std::string>(),
      Contains("Times are of the host simulation, not of a GPU.") && Contains("host Example CPU"));
  const auto mixed = warnings_of(quiet_file({host, gpu}));
  CHECK_THAT(mixed.at(0).at(1).get<std::string>(), Contains("Times of 1 result are of the host"));
  // References run on the CPU on every device, and failures have no simulated time.
  CHECK(warnings_of(quiet_file({gpu, timed_on("host Example CPU", "reference")})).empty());
  auto failed = host;
  failed.status = Status::kCrashed;
  CHECK(warnings_of(quiet_file({failed})).empty());
}

TEST_CASE("A page lists suspect results with the reason") {
  std::vector<ResultRecord> results;
  for (const char* variant : {"raw", "jit", "raw"}) {
    results.push_back(timed_on("Example GPU", variant));
    results.back().status = Status::kSuspect;
    results.back().reason = "a call takes 3 us, a kernel that does nothing 8.5 us";
  }
  results[1].reason = "a call takes 4.25 us, a kernel that does nothing 9 us";
  results[2].reason = "the host works 5 ms";
  const auto all = warnings_of(quiet_file(results));
  // Texts that differ only in numbers are one.
  REQUIRE(all.size() == 2);
  CHECK(all.at(0).at(0) == "suspect");
  const auto first = all.at(0).at(1).get<std::string>();
  CHECK_THAT(first, Contains("2 results (saxpy raw, saxpy jit): a call takes 3 us"));
  CHECK_THAT(all.at(1).at(1).get<std::string>(), Contains("1 result (saxpy raw): the host works"));
}

TEST_CASE("A page lists results beyond the ceiling, and no others") {
  auto fast = timed_on("Example GPU", "raw"), usual = timed_on("Example GPU", "jit");
  for (ResultRecord* record : {&fast, &usual}) {
    record->bytes_read = record->bytes_written = 5e6;
    record->ceiling = 1e10;
  }
  fast.cold.median = 0.5e-3;
  CHECK(warnings_of(quiet_file({usual})).empty());
  const auto all = warnings_of(quiet_file({usual, fast}));
  REQUIRE(all.size() == 1);
  CHECK(all.at(0).at(0) == "ceiling");
  CHECK_THAT(all.at(0).at(1).get<std::string>(),
             Contains("1 result moves more") && Contains("200 %") && Contains("(saxpy raw)"));
}

TEST_CASE("A page shows noise and notes of all files, each once") {
  ResultFile file = quiet_file({timed_on("Example GPU", "raw")});
  file.results[0].notes = parse_notes("few samples; the L2 cache is not flushed; few samples");
  DeviceCalibration noisy;
  noisy.device = "Example GPU";
  noisy.noise_floor = 0.3;
  file.calibration = {noisy};
  PageWarnings warnings;
  warnings.add(file);
  warnings.add(file);
  const auto all = nlohmann::json(warnings.list());
  REQUIRE(all.size() == 3);
  CHECK(all.at(0).at(0) == "noise");
  CHECK(all.at(1).at(0) == "note");
  CHECK_THAT(all.at(1).at(1).get<std::string>(), Contains("few samples"));
  CHECK_THAT(all.at(2).at(1).get<std::string>(), Contains("2 results (saxpy raw): the L2 cache"));
}

TEST_CASE("A page holds how each output was compared, and the job as text") {
  ResultFile file = quiet_file({timed_on("Example GPU", "raw")});
  OutputRecord output;
  output.name = "y";
  output.dtype = DType::kFloat32;
  output.shape = {4, 8};
  output.mode = "allclose";
  output.tolerance = "rtol=1e-06 atol=0";
  output.max_abs_err = 0.5;
  output.mismatches = 3;
  output.first_mismatch = "[0, 1]: got 2, expected 1";
  file.results[0].outputs = {output};
  file.results[0].notes = {{NoteKind::kOther, "few samples"}};
  file.jobs = {{"demo", "workload: saxpy  # mine\n", "workload: saxpy\nseed: 1\n", "cafe"}};
  const auto data = nlohmann::json::parse(page_data(std::span(&file, 1), "t", "d"));
  REQUIRE(data.at("checks").size() == 1);
  const auto row = data.at("checks").at(0);
  const auto name = [&](std::size_t column) {
    return data.at("check_names").at(row.at(column).get<std::size_t>());
  };
  CHECK(row.at(0) == 0);
  CHECK(name(1) == "y");
  CHECK(name(2) == "float32");
  CHECK(name(3) == "4×8");
  CHECK(name(4) == "allclose");
  CHECK(name(5) == "rtol=1e-06 atol=0");
  CHECK(row.at(6) == 0.5);
  CHECK(row.at(7).is_null());
  CHECK(row.at(9) == 3);
  CHECK(name(10) == "[0, 1]: got 2, expected 1");
  CHECK(data.at("notes") == nlohmann::json({"few samples"}));
  REQUIRE(data.at("job_texts").size() == 1);
  CHECK(data.at("job_texts").at(0).at("written") == "workload: saxpy  # mine\n");
  CHECK(data.at("job_texts").at(0).at("resolved") == "workload: saxpy\nseed: 1\n");
}

}  // namespace
}  // namespace kernelbatch
