#include "core/report/compare.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/report/rank_test.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

Summary summary(double median, double half_width) {
  Summary result;
  result.median = median;
  result.ci95_low = median - half_width;
  result.ci95_high = median + half_width;
  result.samples = 100;
  return result;
}

ResultRecord result(const std::string& case_id, const std::string& variant, double median) {
  ResultRecord record;
  record.case_id = case_id;
  record.workload = "saxpy";
  record.variant = variant;
  record.device = "Example GPU";
  record.status = Status::kOk;
  record.params = {{"n", std::int64_t{1000}}};
  record.cold = summary(median, 0.001 * median);
  for (int k = 0; k < 100; ++k)
    record.samples.push_back({"cold", k, median * (0.999 + 2e-5 * k), kMissing, -1});
  return record;
}

ResultFile file_of(std::vector<ResultRecord> results) {
  ResultFile file{.path = "r.h5"};
  file.results = std::move(results);
  return file;
}

/// The verdict of one variant whose time was multiplied by `ratio`.
Verdict verdict(double ratio) {
  return compare_results(file_of({result("c1", "raw", 1e-3)}),
                         file_of({result("c1", "raw", ratio * 1e-3)}))
      .pairs.at(0)
      .verdict;
}

TEST_CASE("Intervals apart and a gap that counts make FASTER and SLOWER") {
  CHECK(verdict(1.03) == Verdict::kSlower);
  CHECK(verdict(1 / 1.03) == Verdict::kFaster);
  CHECK(verdict(1.0) == Verdict::kSame);
  CHECK(verdict(1.002) == Verdict::kSame);
}

TEST_CASE("Intervals apart are not enough: the gap must count, too") {
  const Summary a = summary(1, 1e-5);
  CHECK(verdict_of(a, summary(1.004, 1e-5), 0.005) == Verdict::kSame);
  CHECK(verdict_of(a, summary(1.006, 1e-5), 0.005) == Verdict::kSlower);
  CHECK(verdict_of(a, summary(1.006, 1e-5), 0.01) == Verdict::kSame);
  CHECK(verdict_of(a, summary(1 / 1.006, 1e-5), 0.005) == Verdict::kFaster);
}

TEST_CASE("A gap is not enough: wide intervals make UNSURE") {
  const Summary a = summary(1, 0.1);
  CHECK(verdict_of(a, summary(1.05, 0.1), 0.005) == Verdict::kUnsure);
  CHECK(verdict_of(a, a, 0.005) == Verdict::kUnsure);
  // At the edge: apart by nothing, or overlapping beyond the gap.
  CHECK(verdict_of(summary(1, 0.002), summary(1.004, 0.002), 0.005) == Verdict::kUnsure);
}

TEST_CASE("Fewer than six samples never decide") {
  Summary few = summary(1, 0.001);
  few.samples = 5;
  CHECK(verdict_of(few, summary(2, 0.001), 0.005) == Verdict::kUnsure);
}

TEST_CASE("A file compared with itself shows no difference") {
  const ResultFile file = file_of({result("c1", "raw", 1e-3), result("c2", "jit", 2e-3)});
  const ComparedResults compared = compare_results(file, file);
  CHECK(compared.count(Verdict::kSame) == 2);
  CHECK(compared.geometric_mean == 1);
  CHECK(compared.pairs.at(0).p == 1);
}

TEST_CASE("The calibrated noise of either file widens the gap") {
  const ResultFile a = file_of({result("c1", "raw", 1e-3)});
  ResultFile b = file_of({result("c1", "raw", 1.03e-3)});
  b.calibration = {{"Example GPU", 1e-6, 1e12, 1e12, 0.05}, {"other", 1e-6, 1e12, 1e12, 0.5}};
  const ComparedPair pair = compare_results(a, b).pairs.at(0);
  CHECK(pair.gap == 0.05);
  CHECK(pair.verdict == Verdict::kSame);
}

TEST_CASE("Pairs carry ratio, interval, p, and the geometric mean is of all") {
  const ResultFile a = file_of({result("c1", "raw", 1e-3), result("c2", "raw", 1e-3)});
  const ResultFile b = file_of({result("c1", "raw", 2e-3), result("c2", "raw", 8e-3)});
  const ComparedResults compared = compare_results(a, b);
  CHECK(compared.geometric_mean == Approx(4));
  const ComparedPair& worst = compared.pairs.at(0);
  CHECK(worst.case_id == "c2");
  CHECK(worst.ratio == Approx(8));
  CHECK(worst.ratio_low == Approx(8 * 0.999 / 1.001));
  CHECK(worst.p < 1e-30);
}

TEST_CASE("What is missing or not right on one side says so") {
  ResultRecord crashed = result("c2", "raw", 1e-3);
  crashed.status = Status::kCrashed;
  const ResultFile a = file_of({result("c1", "raw", 1e-3), result("c2", "raw", 1e-3)});
  const ResultFile b = file_of({result("c1", "raw", 1e-3), crashed, result("c3", "raw", 1e-3)});
  const ComparedResults compared = compare_results(a, b);
  CHECK(compared.count(Verdict::kAbsent) == 2);
  CHECK(compared.pairs.at(0).note == "crashed in B");
  CHECK(compared.pairs.at(1).note == "not in A");
  CHECK_THROWS_WITH(compare_results(a, file_of({result("c9", "raw", 1e-3)})),
                    Contains("no result of the same case"));
}

TEST_CASE("Times that are NaN are missing, not compared") {
  ResultRecord untimed = result("c1", "raw", 1e-3);
  untimed.cold = {};
  const ComparedPair pair =
      compare_results(file_of({result("c1", "raw", 1e-3)}), file_of({untimed})).pairs.at(0);
  CHECK(pair.verdict == Verdict::kAbsent);
  CHECK(pair.note == "not timed");
}

TEST_CASE("Different devices are compared only by those who ask for it") {
  ResultRecord other = result("c1", "raw", 2e-3);
  other.device = "Other GPU";
  const ResultFile a = file_of({result("c1", "raw", 1e-3)}), b = file_of({other});
  CHECK_THROWS_WITH(compare_results(a, b), Contains("--different-devices") &&
                                               Contains("Example GPU") && Contains("Other GPU"));
  CHECK(compare_results(a, b, {.allows_different_devices = true}).pairs.at(0).verdict ==
        Verdict::kSlower);
}

TEST_CASE("Two variants of one file are compared case by case") {
  const ResultFile file = file_of({result("c1", "jit", 1e-3), result("c1", "raw", 5e-4),
                                   result("c2", "jit", 1e-3), result("c2", "raw", 1e-3)});
  const ComparedResults compared =
      compare_results(file, file, {.variant_a = "jit", .variant_b = "raw"});
  REQUIRE(compared.pairs.size() == 2);
  CHECK(compared.count(Verdict::kFaster) == 1);
  CHECK(compared.count(Verdict::kSame) == 1);
  CHECK(compared.pairs.at(0).variant == "jit → raw");
}

TEST_CASE("The table counts the verdicts, and the JSON has no NaN") {
  const ResultFile a = file_of({result("c1", "raw", 1e-3), result("c2", "raw", 1e-3)});
  const ResultFile b = file_of({result("c1", "raw", 2e-3)});
  const ComparedResults compared = compare_results(a, b);
  const std::string text = compared_table(compared, {});
  CHECK_THAT(text, Contains("SLOWER   +100.00 %") && Contains("0 FASTER, 1 SLOWER, 0 SAME, 0 "
                                                              "UNSURE, 1 MISSING"));
  const auto json = nlohmann::json::parse(to_json(compared));
  CHECK(json.at("counts").at("SLOWER") == 1);
  CHECK(json.at("pairs").at(0).at("ratio") == 2.0);
  CHECK(json.at("pairs").at(1).at("ratio").is_null());
}

TEST_CASE("Rank tests of nothing, of NaN and of equal samples do not decide") {
  const std::vector<double> none, nan{std::nan("")}, ones(5, 1.0);
  CHECK(std::isnan(mann_whitney(none, ones).p));
  CHECK(std::isnan(mann_whitney(nan, ones).p));
  CHECK(mann_whitney(ones, ones).p == 1);
}

}  // namespace
}  // namespace kernelbatch
