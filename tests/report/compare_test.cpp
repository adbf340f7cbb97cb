#include "core/report/compare.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/report/rank_test.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/made_result.hpp"

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
  // As in a job, no two cases have the same parameters.
  return test::MadeResult(variant, median, 0.001 * median)
      .in_case(case_id)
      .with("n", std::int64_t{1000})
      .with("id", case_id)
      .with_samples(100)
      .spread(0.999, 1.001)
      .made();
}

ResultFile file_of(std::vector<ResultRecord> results) {
  ResultFile file{.path = "r.h5"};
  for (const char* device : {"Example GPU", "Other GPU"})
    file.calibration.push_back({device, 1e-6, 1e12, 1e12, 0.001, 1e-9});
  file.results = std::move(results);
  return file;
}

ComparedResults compare(const ResultFile& a, const ResultFile& b,
                        const CompareOptions& options = {}) {
  return compare_results(std::span(&a, 1), std::span(&b, 1), options);
}

/// The verdict of one variant whose time was multiplied by `ratio`.
Verdict verdict(double ratio) {
  return compare(file_of({result("c1", "raw", 1e-3)}), file_of({result("c1", "raw", ratio * 1e-3)}))
      .pairs.at(0)
      .judgement.verdict;
}

TEST_CASE("Intervals apart and a gap that counts make FASTER and SLOWER") {
  CHECK(verdict(1.03) == Verdict::kSlower);
  CHECK(verdict(1 / 1.03) == Verdict::kFaster);
  CHECK(verdict(1.0) == Verdict::kSame);
  CHECK(verdict(1.002) == Verdict::kSame);
}

TEST_CASE("A file compared with itself shows no difference") {
  const ResultFile file = file_of({result("c1", "raw", 1e-3), result("c2", "jit", 2e-3)});
  const ComparedResults compared = compare(file, file);
  CHECK(compared.count(Verdict::kSame) == 2);
  CHECK(compared.geometric_mean == 1);
  CHECK(compared.pairs.at(0).judgement.p == 1);
}

TEST_CASE("The calibrated noise of either file widens the gap") {
  const ResultFile a = file_of({result("c1", "raw", 1e-3)});
  ResultFile b = file_of({result("c1", "raw", 1.03e-3)});
  b.calibration = {{"Example GPU", 1e-6, 1e12, 1e12, 0.05, 1e-9},
                   {"other", 1e-6, 1e12, 1e12, 0.5, 1}};
  const ComparedPair pair = compare(a, b).pairs.at(0);
  CHECK(pair.judgement.gap == Approx(0.05).epsilon(1e-3));
  CHECK(pair.judgement.verdict == Verdict::kSame);
}

TEST_CASE("Pairs carry ratio, interval, p, and the geometric mean is of all") {
  const ResultFile a = file_of({result("c1", "raw", 1e-3), result("c2", "raw", 1e-3)});
  const ResultFile b = file_of({result("c1", "raw", 2e-3), result("c2", "raw", 8e-3)});
  const ComparedResults compared = compare(a, b);
  CHECK(compared.geometric_mean == Approx(4));
  const ComparedPair& worst = compared.pairs.at(0);
  CHECK(worst.case_id == "c2");
  CHECK(worst.judgement.ratio == Approx(8));
  CHECK(worst.judgement.ratio_low == Approx(8 * 0.999 / 1.001).epsilon(1e-4));
  CHECK(worst.judgement.p < 1e-30);
}

TEST_CASE("Results missing or incorrect on one side are reported") {
  ResultRecord crashed = result("c2", "raw", 1e-3);
  crashed.status = Status::kCrashed;
  const ResultFile a = file_of({result("c1", "raw", 1e-3), result("c2", "raw", 1e-3)});
  const ResultFile b = file_of({result("c1", "raw", 1e-3), crashed, result("c3", "raw", 1e-3)});
  const ComparedResults compared = compare(a, b);
  CHECK(compared.count(Verdict::kAbsent) == 2);
  CHECK(compared.pairs.at(0).note == "crashed in B");
  CHECK(compared.pairs.at(1).note == "not in A");
  CHECK_THROWS_WITH(compare(a, file_of({result("c9", "raw", 1e-3)})),
                    Contains("no result of the same case"));
}

TEST_CASE("Times that are NaN are missing, not compared") {
  ResultRecord untimed = result("c1", "raw", 1e-3);
  untimed.cold = {};
  const ComparedPair pair =
      compare(file_of({result("c1", "raw", 1e-3)}), file_of({untimed})).pairs.at(0);
  CHECK(pair.judgement.verdict == Verdict::kAbsent);
  CHECK(pair.note == "not timed in B");
  CHECK(pair.loss == Loss::kFailed);
  for (const double median : {0.0, -1e-3, std::numeric_limits<double>::infinity()}) {
    untimed.cold = summary(median, 0);
    const ComparedResults compared =
        compare(file_of({result("c1", "raw", 1e-3)}), file_of({untimed}));
    CHECK(compared.count(Loss::kFailed) == 1);
    CHECK(std::isnan(compared.geometric_mean));
  }
}

TEST_CASE("Results lost in B are counted by reason") {
  const auto ended = [](const std::string& case_id, Status status) {
    ResultRecord record = result(case_id, "raw", 1e-3);
    record.status = status;
    return record;
  };
  const ResultRecord fine = result("c1", "raw", 1e-3);
  const auto loss = [&](const ResultRecord& in_a, const ResultRecord& in_b) {
    return compare(file_of({in_a}), file_of({in_b})).pairs.at(0).loss;
  };
  CHECK(loss(fine, fine) == Loss::kNone);
  CHECK(loss(fine, ended("c1", Status::kVerificationFailed)) == Loss::kWrong);
  for (const Status status : {Status::kCrashed, Status::kTimedOut, Status::kOutOfMemory,
                              Status::kCompileFailed, Status::kFailed}) {
    CHECK(loss(fine, ended("c1", status)) == Loss::kFailed);
    CHECK(loss(ended("c1", status), ended("c1", status)) == Loss::kFailed);
    CHECK(loss(ended("c1", status), fine) == Loss::kNone);
  }
  const ResultRecord skipped = ended("c1", Status::kSkipped);
  CHECK(loss(fine, skipped) == Loss::kFailed);
  CHECK(loss(skipped, skipped) == Loss::kNone);
  const ResultFile a = file_of({fine, result("c2", "raw", 1e-3), ended("c3", Status::kSkipped)});
  const ResultFile b = file_of({fine, result("c4", "raw", 1e-3)});
  CHECK(compare(a, b).count(Loss::kAbsent) == 1);
  const ComparedResults common = compare(a, b, {.is_common = true});
  CHECK(common.pairs.size() == 1);
  CHECK(common.one_sided == 3);
  CHECK(common.count(Loss::kAbsent) == 0);
}

TEST_CASE("A result that one of several runs lacks is missing") {
  const ResultFile whole = file_of({result("c1", "raw", 1e-3), result("c2", "raw", 1e-3)});
  const ResultFile part = file_of({result("c1", "raw", 1e-3)});
  const std::vector<ResultFile> a{whole, whole}, b{whole, part};
  const ComparedResults compared = compare_results(a, b);
  CHECK(compared.count(Loss::kAbsent) == 1);
  CHECK(compared.pairs.at(0).note == "in 1 of 2 runs of B");
}

TEST_CASE("Without calibration, or unverified only in B, nothing is SAME") {
  ResultFile a = file_of({result("c1", "raw", 1e-3)}), b = a;
  b.calibration.clear();
  CHECK(compare(a, b).count(Verdict::kUnsure) == 1);
  CHECK(compare(a, b).pairs.at(0).note == "B's calibrated noise is unknown");
  a.results.at(0).verified = true;
  b = file_of({result("c1", "raw", 0.5e-3)});
  CHECK(compare(a, b).pairs.at(0).note == "verified in A, not in B");
  CHECK(compare(a, b).count(Verdict::kUnsure) == 1);
  b = file_of({result("c1", "raw", 2e-3)});
  CHECK(compare(a, b).count(Verdict::kSlower) == 1);
}

TEST_CASE("A side that was verified on one set of inputs has a note") {
  ResultFile a = file_of({result("c1", "raw", 1e-3)}), b = a;
  for (ResultFile* file : {&a, &b}) {
    file->results.at(0).verified = true;
    file->results.at(0).checked_calls = 9;
    file->results.at(0).input_sets = 2;
  }
  CHECK(compare(a, b).pairs.at(0).note.empty());
  b.results.at(0).input_sets = 1;
  CHECK(compare(a, b).pairs.at(0).note == "one set in B");
  CHECK(compare(b, a).pairs.at(0).note == "one set in A");
  const ComparedResults both = compare(b, b);
  CHECK(both.pairs.at(0).note == "one set");
  const auto pair = nlohmann::json::parse(compared_text(both, JudgedFormat::kJson))["pairs"][0];
  CHECK(pair["one_set_a"] == true);
  CHECK(pair["one_set_b"] == true);
  // Files of older versions do not have the number of sets.
  b.results.at(0).input_sets = -1;
  CHECK(compare(a, b).pairs.at(0).note.empty());
}

TEST_CASE("Times of two kinds are not compared") {
  ResultRecord hot = result("c1", "raw", 1e-3);
  std::swap(hot.hot, hot.cold);
  const ComparedPair pair =
      compare(file_of({result("c1", "raw", 1e-3)}), file_of({hot})).pairs.at(0);
  CHECK(pair.judgement.verdict == Verdict::kUnsure);
  CHECK(pair.note == "cold times in A, hot times in B");
}

TEST_CASE("Only references in common are refused") {
  ResultRecord reference = result("c1", "reference", 1e-3);
  reference.kind = VariantKind::kReference;
  const ResultFile file = file_of({reference});
  CHECK_THROWS_WITH(compare(file, file), Contains("only references") && Contains("--references"));
}

TEST_CASE("Different devices are compared only on request") {
  ResultRecord other = result("c1", "raw", 2e-3);
  other.device = "Other GPU";
  const ResultFile a = file_of({result("c1", "raw", 1e-3)}), b = file_of({other});
  CHECK_THROWS_WITH(compare(a, b), Contains("--different-devices") && Contains("Example GPU") &&
                                       Contains("Other GPU"));
  CHECK(compare(a, b, {.allows_different_devices = true}).pairs.at(0).judgement.verdict ==
        Verdict::kSlower);
}

TEST_CASE("Host times give no verdict unless it is requested") {
  ResultRecord jit = result("c1", "jit", 1e-3), raw = result("c1", "raw", 2e-3);
  for (ResultRecord* record : {&jit, &raw}) record->device = "host Example CPU";
  ResultFile file = file_of({jit, raw, result("c2", "jit", 1e-3), result("c2", "raw", 2e-3)});
  file.calibration.push_back({"host Example CPU", 1e-6, 1e12, 1e12, 0.001, 1e-9});
  CompareOptions options{.variant_a = "jit", .variant_b = "raw"};
  const ComparedResults compared = compare(file, file, options);
  CHECK(compared.count(Verdict::kSlower) == 1);
  CHECK(compared.not_compared == 1);
  CHECK(compared.geometric_mean == Approx(2));
  const ComparedPair& on_host = compared.pairs.at(1);
  CHECK(on_host.judgement.verdict == Verdict::kUnsure);
  CHECK(std::isnan(on_host.judgement.ratio));
  CHECK(on_host.judgement.now == 2e-3);
  CHECK(on_host.note == "host times are simulation times");
  CHECK_THAT(compared_text(compared, JudgedFormat::kText),
             Contains("1 time not compared: host times are simulation times (--host-times)"));
  CHECK(nlohmann::json::parse(compared_text(compared, JudgedFormat::kJson)).at("not_compared") ==
        1);
  options.has_host_times = true;
  CHECK(compare(file, file, options).count(Verdict::kSlower) == 2);
}

TEST_CASE("Two variants of one file are compared case by case") {
  const ResultFile file = file_of({result("c1", "jit", 1e-3), result("c1", "raw", 5e-4),
                                   result("c2", "jit", 1e-3), result("c2", "raw", 1e-3)});
  const ComparedResults compared = compare(file, file, {.variant_a = "jit", .variant_b = "raw"});
  REQUIRE(compared.pairs.size() == 2);
  CHECK(compared.count(Verdict::kFaster) == 1);
  CHECK(compared.count(Verdict::kSame) == 1);
  CHECK(compared.pairs.at(0).variant == "jit → raw");
}

TEST_CASE("The table counts the verdicts, and the JSON has no NaN") {
  const ResultFile a = file_of({result("c1", "raw", 1e-3), result("c2", "raw", 1e-3)});
  const ResultFile b = file_of({result("c1", "raw", 2e-3)});
  const ComparedResults compared = compare(a, b);
  const std::string text = compared_text(compared, JudgedFormat::kText);
  CHECK_THAT(text, Contains("SLOWER   1.00 ms  2.00 ms  +100.00 %") &&
                       Contains("0 FASTER, 1 SLOWER, 0 SAME, 0 "
                                "UNSURE, 1 MISSING"));
  const auto json = nlohmann::json::parse(compared_text(compared, JudgedFormat::kJson));
  CHECK(json.at("counts").at("SLOWER") == 1);
  CHECK(json.at("pairs").at(0).at("ratio") == 2.0);
  CHECK(json.at("pairs").at(1).at("ratio").is_null());
}

TEST_CASE("Results whose ids differ are paired by workload, parameters and variant") {
  ResultRecord before = result("c1", "raw", 1e-3), after = result("d7", "raw", 2e-3);
  before.params = after.params = {{"n", std::int64_t{1000}}};
  before.workload_version = "1";
  after.workload_version = "2";
  const ComparedResults compared = compare(file_of({before}), file_of({after}));
  REQUIRE(compared.pairs.size() == 1);
  CHECK(compared.pairs[0].judgement.verdict == Verdict::kSlower);
  CHECK(compared.pairs[0].note == "version 2 for 1");
  after.workload_version = "1";
  CHECK(compare(file_of({before}), file_of({after})).pairs[0].note == "other inputs");
}

TEST_CASE("An id that both sides have goes before what is merely alike") {
  const auto alike = [](const std::string& id, double time) {
    ResultRecord record = result(id, "raw", time);
    record.params.pop_back();
    return record;
  };
  const ResultFile a = file_of({alike("c1", 1e-3), alike("c2", 1e-3)});
  const ResultFile b = file_of({alike("d1", 4e-3), alike("c1", 1e-3)});
  const ComparedResults compared = compare(a, b);
  REQUIRE(compared.pairs.size() == 2);
  CHECK(compared.pairs[0].case_id == "c2");
  CHECK(compared.pairs[0].judgement.verdict == Verdict::kSlower);
  CHECK(compared.pairs[1].judgement.verdict == Verdict::kSame);
}

TEST_CASE("Results of other parameters are no pair") {
  ResultRecord other = result("d1", "raw", 1e-3);
  other.params = {{"n", std::int64_t{2000}}};
  CHECK_THROWS_AS(compare(file_of({result("c1", "raw", 1e-3)}), file_of({other})), SpecError);
}

TEST_CASE("Another kernel text is reported") {
  ResultRecord before = result("c1", "raw", 1e-3), after = result("c1", "raw", 1e-3);
  before.kernel_hash = "aa";
  after.kernel_hash = "bb";
  CHECK(compare(file_of({before}), file_of({after})).pairs[0].note == "other kernel text");
  after.kernel_hash.clear();
  CHECK(compare(file_of({before}), file_of({after})).pairs[0].note.empty());
}

TEST_CASE("Pairs of one verdict stay in the plan's order") {
  std::vector<ResultRecord> results;
  for (const char* id : {"f9", "a1", "c3", "b2"}) results.push_back(result(id, "raw", 1e-3));
  const ResultFile file = file_of(results);
  std::vector<std::string> ids;
  for (const ComparedPair& pair : compare(file, file).pairs) ids.push_back(pair.case_id);
  CHECK(ids == std::vector<std::string>{"f9", "a1", "c3", "b2"});
}

TEST_CASE("Environment differences are above the table, values of a single run are not") {
  ResultFile a = file_of({result("c1", "raw", 1e-3)}), b = a;
  a.environments = {{{{"host", std::string("n1")},
                      {"driver", std::string("580.1")},
                      {"slurm_job_id", std::string("7")}}}};
  b.environments = {{{{"host", std::string("n1")},
                      {"driver", std::string("590.2")},
                      {"slurm_job_id", std::string("8")}}}};
  const ComparedResults compared = compare(a, b);
  REQUIRE(compared.environment.size() == 1);
  CHECK_THAT(compared_text(compared, JudgedFormat::kText), Contains("driver: 580.1 → 590.2\n"));
  CHECK_THAT(compared_text(compared, JudgedFormat::kMarkdown),
             Contains("- driver: 580.1 → 590.2\n"));
}

TEST_CASE("What identifies a row and its verdict are shown at every width") {
  ResultRecord wide = result("0123456789abcdef", "elementwise", 1e-3);
  wide.params = {{"n", std::int64_t{1000}}, {"dtype", std::string("float64")}};
  ResultRecord more = wide;
  more.case_id = "1123456789abcdef";
  more.params[0].second = std::int64_t{123456789};
  const ResultFile a = file_of({wide, more});
  wide.cold = summary(1.5e-3, 1.5e-6);
  const ResultFile b = file_of({wide, more});
  const auto text_at = [&](std::size_t width) {
    return compared_text(compare(a, b), JudgedFormat::kText, {.width = width});
  };
  for (const std::size_t width : {60u, 80u, 120u, 0u}) {
    const std::string text = text_at(width);
    CAPTURE(width, text);
    CHECK_THAT(text, Contains("All: dtype=float64\n") && Contains("SLOWER") &&
                         Contains("+50.00 %") && Contains("elementwise") && Contains("saxpy") &&
                         Contains("n=1000") && Contains("n=123456789"));
  }
  CHECK_THAT(text_at(80), Contains("Hidden at this width: case, p, 95 %\n"));
  CHECK_THAT(text_at(80), Contains("SLOWER   1.00 ms  1.50 ms  +50.00 %  elementwise"));
  CHECK_THAT(text_at(120), Contains("+50.00 %  +49.70 % … +50.31 %  elementwise"));
}

/// A pair of each kind: slower, missing, unsure, faster, same.
ComparedResults all_kinds() {
  const auto of = [](double b) {
    std::vector<ResultRecord> results = {result("c1", "a<b|c", 1e-3), result("c2", "jit", 1e-3),
                                         result("c3", "raw", 1e-3), result("c4", "up", 1e-3)};
    results[0].cold = summary(b * 1e-3, 1e-6);
    results[2].cold = summary(1e-3 / b, 1e-6);
    results[3].cold.samples = 3;
    return results;
  };
  std::vector<ResultRecord> after = of(2);
  after.erase(after.begin() + 1);
  return compare(file_of(of(1)), file_of(after));
}

TEST_CASE("JUnit has a test case for each pair, and gate failures are failures") {
  const std::string text = compared_text(all_kinds(), JudgedFormat::kJunit);
  CHECK_THAT(text, Contains("tests=\"4\" failures=\"2\""));
  CHECK_THAT(text, Contains("name=\"a&lt;b|c\""));
  CHECK_THAT(text, Contains("<failure type=\"SLOWER\" message=\"1.00 ms → 2.00 ms (+100.00 %"));
  CHECK_THAT(text, Contains("<failure type=\"MISSING\" message=\"not in B\"/>"));
}

TEST_CASE("GitHub's annotations are errors for gate failures") {
  const std::string text = compared_text(all_kinds(), JudgedFormat::kGithub);
  CHECK_THAT(text,
             Contains("::error title=SLOWER%3A saxpy a<b|c id=c1::1.00 ms → 2.00 ms (+100.00 %25"));
  CHECK_THAT(text, Contains("::error title=MISSING%3A saxpy jit id=c2::not in B"));
  CHECK_THAT(text, Contains("::notice title=FASTER%3A saxpy raw id=c3::"));
  CHECK_THAT(text, Contains("::notice title=kernelbatch compare::"));
}

TEST_CASE("Markdown escapes characters that would end a cell") {
  const std::string text = compared_text(all_kinds(), JudgedFormat::kMarkdown);
  CHECK_THAT(text, Contains("| **SLOWER** | 1.00 ms | 2.00 ms | +100.00 % |"));
  CHECK_THAT(text, Contains("a\\<b\\|c"));
}

TEST_CASE("References are left out unless they are asked for") {
  ResultRecord reference = result("c1", "reference", 1e-3);
  reference.kind = VariantKind::kReference;
  const ResultFile a = file_of({result("c1", "raw", 1e-3), reference});
  reference.cold = summary(2e-3, 1e-6);
  const ResultFile b = file_of({result("c1", "raw", 1e-3), reference});
  const ComparedResults without = compare(a, b);
  CHECK(without.pairs.size() == 1);
  CHECK(without.references == 1);
  CHECK(without.geometric_mean == 1);
  CHECK_THAT(compared_text(without, JudgedFormat::kText),
             Contains("1 reference left out (--references)"));
  CHECK(compare(a, b, {.includes_references = true}).count(Verdict::kSlower) == 1);
  CHECK(compare(a, b, {.variant_a = "raw", .variant_b = "reference"}).count(Verdict::kSlower) == 1);
}

TEST_CASE("Changes are summarized in a few lines") {
  const std::vector<ResultRecord> before{result("c1", "raw", 1e-3), result("c1", "jit", 1e-3),
                                         result("c2", "raw", 1e-3)};
  const std::vector<ResultRecord> after{result("c1", "raw", 2e-3), result("c1", "jit", 1e-3),
                                        result("c2", "raw", 3e-3)};
  const ComparedResults compared = compare(file_of(before), file_of(after));
  const std::string text = changes_text(compared, 1);
  CHECK_THAT(text, Catch::Matchers::StartsWith("2 SLOWER, 1 SAME\n"));
  CHECK(std::ranges::count(text, '\n') == 3);
  CHECK_THAT(text, Contains(" -> ") && Contains("and 1 more: kernelbatch compare\n"));
}

TEST_CASE("Several files a side are runs of it") {
  const auto files = [](std::vector<double> medians) {
    std::vector<ResultFile> side;
    for (const double median : medians) side.push_back(file_of({result("c1", "raw", median)}));
    return side;
  };
  const auto a = files({1e-3, 1.001e-3, 0.999e-3}), b = files({1.03e-3, 1.031e-3});
  const ComparedPair pair = compare_results(a, b).pairs.at(0);
  CHECK(pair.judgement.verdict == Verdict::kSlower);
  CHECK(pair.judgement.gap < 0.006);
  CHECK(pair.runs_a == 3);
  CHECK(pair.runs_b == 2);
  CHECK(pair.rank_p == Approx(0.2));  // exact: the two extreme ones of ten orders of five medians

  auto broken = b;
  broken.back().results.front().status = Status::kCrashed;
  CHECK(compare_results(a, broken).pairs.at(0).note == "crashed in B");
}

TEST_CASE("Rank tests of nothing, of NaN and of equal samples do not decide") {
  const std::vector<double> none, nan{std::nan("")}, ones(5, 1.0);
  CHECK(std::isnan(mann_whitney(none, ones).p));
  CHECK(std::isnan(mann_whitney(nan, ones).p));
  CHECK(mann_whitney(ones, ones).p == 1);
}

}  // namespace
}  // namespace kernelbatch
