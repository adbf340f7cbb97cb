#include "core/result/json.hpp"

#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "tests/result/synthetic.hpp"
#include "tests/support/catch.hpp"

using namespace kernelbatch;

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
}

TEST_CASE("a result survives JSON whole") {
  const ResultRecord before = test::synthetic_case("c1").results[0];

  const ResultRecord after = result_from_json(to_json(before));

  CHECK(to_json(after) == to_json(before));
  CHECK(after.case_id == "c1");
  CHECK(after.status == Status::kOk);
  CHECK(after.start_ns == before.start_ns);
  CHECK(after.cold.median == before.cold.median);
  CHECK(after.params == before.params);
  CHECK(after.deterministic == true);
  REQUIRE(after.outputs.size() == 1);
  CHECK(after.outputs[0].shape == before.outputs[0].shape);
  CHECK(after.outputs[0].dimensions == before.outputs[0].dimensions);
  REQUIRE(after.samples.size() == 10);
  CHECK(after.samples[3].wall_ns == before.samples[3].wall_ns);
  REQUIRE(after.launches.size() == 1);
  CHECK(after.launches[0].grid[0] == 7);
  CHECK(after.kernels.at(0).target == "sm_90");
}

TEST_CASE("a case survives JSON whole") {
  const CaseRecord before = test::synthetic_case("c1");

  const CaseRecord after = case_from_json(to_json(before));

  CHECK(to_json(after) == to_json(before));
  CHECK(after.environment.values == before.environment.values);
  CHECK(after.job.spec_written == before.job.spec_written);
  CHECK(after.calibration.at(0).copy_bandwidth == 1e11);
}

TEST_CASE("counters survive JSON") {
  ResultRecord before;
  before.counters = {{"k", 0, EvidenceSource::kCounter, "dram__bytes_read.sum", 1.5e9, "byte"},
                     {"", -1, EvidenceSource::kTwin, "half_grid", 0.25, "s"},
                     {"k", -1, EvidenceSource::kStatic, "waves", kMissing, "1"}};

  const ResultRecord after = result_from_json(to_json(before));

  REQUIRE(after.counters.size() == 3);
  CHECK(after.counters[0].kernel == "k");
  CHECK(after.counters[0].launch == 0);
  CHECK(after.counters[0].value == 1.5e9);
  CHECK(after.counters[0].unit == "byte");
  CHECK(after.counters[1].source == EvidenceSource::kTwin);
  CHECK(std::isnan(after.counters[2].value));
}

TEST_CASE("an empty result stays empty through JSON") {
  const ResultRecord after = result_from_json(to_json(ResultRecord{}));

  CHECK(std::isnan(after.cold.median));
  CHECK(after.start_ns == -1);
  CHECK(after.status == Status::kSkipped);
  CHECK_FALSE(after.deterministic.has_value());
  CHECK(after.samples.empty());
}

TEST_CASE("numbers that JSON lacks survive it") {
  ResultRecord before;
  before.energy = kInfinity;
  before.speedup = -kInfinity;
  before.flops = 0.1 + 0.2;
  before.end_ns = std::numeric_limits<std::int64_t>::max();
  before.params = {{"a", kInfinity}, {"b", std::string("inf")}, {"c", 1.0}, {"d", std::int64_t{1}}};

  const ResultRecord after = result_from_json(to_json(before));

  CHECK(after.energy == kInfinity);
  CHECK(after.speedup == -kInfinity);
  CHECK(after.flops == 0.1 + 0.2);
  CHECK(after.end_ns == std::numeric_limits<std::int64_t>::max());
  CHECK(after.params == before.params);
}

TEST_CASE("a NaN parameter stays a NaN") {
  const NamedValues after = values_from_json(to_json(NamedValues{{"a", kMissing}}));

  REQUIRE(std::holds_alternative<double>(after.at(0).second));
  CHECK(std::isnan(std::get<double>(after[0].second)));
}

TEST_CASE("bytes that are not text do not break a record") {
  ResultRecord before;
  before.detail = std::string("a\0b\xff\n\"\\", 7);

  const ResultRecord after = result_from_json(to_json(before));

  CHECK(after.detail == "a\u2400b\uFFFD\n\"\\");
}

TEST_CASE("text that is not a record is refused") {
  for (const char* text : {"", "{", "[1]", "42", R"({"case_id": 5})", R"({"status": "great"})"}) {
    INFO(text);
    CHECK_THROWS_AS(result_from_json(text), StoreError);
    CHECK_THROWS_AS(case_from_json(text), StoreError);
  }
}
