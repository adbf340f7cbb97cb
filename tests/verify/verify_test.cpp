#include "core/verify/verify.hpp"

#include <cmath>
#include <cstring>
#include <vector>

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

const std::vector<float> kWant{1, 2, 3, 4};

struct Verdict {
  bool is_right = false;
  OutputRecord record;
  std::string reason, fault;
};

Verdict verdict_on(const std::vector<float>& got, Tolerance tolerance = {}) {
  Verdict verdict;
  const OutputArray spec{.name = "z",
                         .dtype = DType::kFloat32,
                         .shape = {static_cast<std::int64_t>(got.size())},
                         .tolerance = std::move(tolerance)};
  const Wrong wrong = verify_output(spec, Array::from(got), Array::from(kWant), verdict.record);
  verdict.is_right = !wrong;
  verdict.reason = wrong.reason;
  verdict.fault = wrong.fault;
  return verdict;
}

float sentinel() {
  const std::uint32_t pattern = info(DType::kFloat32).sentinel;
  float value = 0;
  std::memcpy(&value, &pattern, sizeof value);
  return value;
}

TEST_CASE("Equal outputs are correct and record the tolerance") {
  const Verdict verdict = verdict_on(kWant, {.rtol = 1e-6});
  CHECK(verdict.is_right);
  CHECK(verdict.reason.empty());
  CHECK(verdict.record.mismatches == 0);
  CHECK(verdict.record.max_abs_err == 0);
  CHECK(verdict.record.tolerance == "rtol=1e-06 atol=0");
  CHECK(verdict.record.mode == "allclose");
}

TEST_CASE("A wrong element is counted, located and quoted") {
  const Verdict verdict = verdict_on({1, 2, 3.5f, 5}, {.rtol = 1e-6});
  CHECK_FALSE(verdict.is_right);
  CHECK(verdict.record.mismatches == 2);
  CHECK(verdict.record.max_abs_err == 1);
  CHECK_THAT(
      verdict.reason,
      Contains("output 'z': 2 of 4 elements are wrong (rtol=1e-06 atol=0); first at [2]: got "
               "3.5, expected 3; the largest error is 2.5e+05 times the tolerance"));
  CHECK_THAT(verdict_on({1, 2, 3, std::nanf("")}, {.rtol = 1e-6}).reason,
             !Contains("times the tolerance"));
}

TEST_CASE("Within the tolerance is correct, ten times outside is not") {
  CHECK(verdict_on({1, 2, 3 * (1 + 0.9e-3f), 4}, {.rtol = 1e-3}).is_right);
  CHECK_FALSE(verdict_on({1, 2, 3 * (1 + 1e-2f), 4}, {.rtol = 1e-3}).is_right);
  CHECK(verdict_on({1, 2, 3.4f, 4}, {.atol = 0.5}).is_right);
}

TEST_CASE("Unwritten elements are distinguished from wrong ones") {
  const Verdict some = verdict_on({1, 2, 3, sentinel()});
  const Verdict all = verdict_on({sentinel(), sentinel(), sentinel(), sentinel()});
  CHECK_FALSE(some.is_right);
  CHECK_THAT(some.reason, Contains("1 of 4 elements were never written; first wrong one at [3]"));
  CHECK_THAT(all.reason, Contains("4 of 4 elements were never written"));
  CHECK(all.fault == "never written");
  CHECK(std::isnan(some.record.max_abs_err));
}

TEST_CASE("Unwritten integers have no numeric error") {
  const std::vector<std::int32_t> want{1, 2};
  std::vector<std::int32_t> got = want;
  const std::uint32_t pattern = info(DType::kInt32).sentinel;
  std::memcpy(&got[1], &pattern, sizeof pattern);
  OutputRecord record;
  const OutputArray spec{.name = "z", .dtype = DType::kInt32, .shape = {2}};
  CHECK(verify_output(spec, Array::from(got), Array::from(want), record).fault == "never written");
  CHECK(record.mismatches == 1);
  for (const double error :
       {record.max_abs_err, record.max_rel_err, record.max_ulp, record.rms_err})
    CHECK(std::isnan(error));
}

TEST_CASE("An unexpected NaN is wrong with any tolerance") {
  const Verdict verdict = verdict_on({1, std::nanf(""), 3, 4}, {.rtol = 1e9, .atol = 1e9});
  CHECK_FALSE(verdict.is_right);
  CHECK(verdict.record.mismatches == 1);
  CHECK_THAT(verdict.reason, Contains("1 of 4 elements are wrong"));
}

TEST_CASE("An unexpected infinity is wrong with any tolerance") {
  CHECK_FALSE(verdict_on({1, INFINITY, 3, 4}, {.rtol = 1e9, .atol = 1e9}).is_right);
}

Array floats(const std::vector<float>& values) { return Array::from(values); }

OutputArray four_floats(const std::string& name) {
  return {.name = name, .dtype = DType::kFloat32, .shape = {4}, .tolerance = {.rtol = 1e-6}};
}

TEST_CASE("All outputs have a record, and the first wrong one is the reason") {
  const OutputArrays want{{"a", floats(kWant)}, {"b", floats(kWant)}, {"c", floats(kWant)}};
  const OutputArrays got{
      {"a", floats(kWant)}, {"b", floats({1, 2, 3, 5})}, {"c", floats({0, 2, 3, 5})}};
  std::vector<OutputRecord> records(1);
  const Wrong wrong =
      compare_outputs({four_floats("a"), four_floats("b"), four_floats("c")}, got, &want, records);
  CHECK_THAT(wrong.reason, Contains("output 'b': 1 of 4 elements are wrong"));
  CHECK(wrong.fault == "1 wrong");
  REQUIRE(records.size() == 3);
  CHECK(records[0].mismatches == 0);
  CHECK(records[1].mismatches == 1);
  CHECK(records[2].mismatches == 2);
  CHECK(records[0].xxh3 != records[1].xxh3);
  CHECK(records[0].xxh3.size() == 32);
}

TEST_CASE("Correct outputs give no error") {
  const OutputArrays want{{"a", floats(kWant)}};
  std::vector<OutputRecord> records;
  CHECK_FALSE(compare_outputs({four_floats("a")}, want, &want, records));
  CHECK(records.at(0).mode == "allclose");
}

TEST_CASE("The reference's own outputs are correct and marked as the reference") {
  std::vector<OutputRecord> records;
  CHECK_FALSE(compare_outputs({four_floats("a")}, {{"a", floats({9, 8, 7, 6})}}, nullptr, records));
  CHECK(records.at(0).mode == "reference");
}

TEST_CASE("An output without a reference is stored and not compared") {
  OutputArray spec = four_floats("a");
  spec.has_reference = false;
  const OutputArrays want;
  std::vector<OutputRecord> records;
  CHECK_FALSE(compare_outputs({spec}, {{"a", floats(kWant)}}, &want, records));
  CHECK(records.at(0).mode == "none");
}

TEST_CASE("A tolerance of the job replaces the bounds of single elements") {
  std::vector<OutputArray> outputs{{.name = "z", .shape = {2}}};
  outputs[0].tolerance.mode = CompareMode::kReduction;
  outputs[0].tolerance.terms = 10;
  outputs[0].tolerance.row_bounds = Array::from<double>({1, 100});
  ToleranceSpec spec;
  change_tolerances(outputs, spec, {});
  CHECK(outputs[0].tolerance.row_bounds.size() == 2);
  spec.rtol = 1e-6;
  change_tolerances(outputs, spec, {});
  CHECK(outputs[0].tolerance.row_bounds.size() == 0);
}

TEST_CASE("An output may be compared with another one, of another dtype") {
  OutputArray spec = four_floats("a");
  spec.compared_with = "z";
  const OutputArrays want{{"z", Array::from(std::vector<double>{1, 2, 3, 4})}};
  std::vector<OutputRecord> records;
  CHECK_FALSE(compare_outputs({spec}, {{"a", floats(kWant)}}, &want, records));
  CHECK(compare_outputs({spec}, {{"a", floats({1, 2, 3, 0})}}, &want, records).fault == "1 wrong");
}

}  // namespace
}  // namespace kernelbatch
