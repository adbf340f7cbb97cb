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
  std::string reason;
};

Verdict verdict_on(const std::vector<float>& got, Tolerance tolerance = {}) {
  Verdict verdict;
  const OutputArray spec{.name = "z",
                         .dtype = DType::kFloat32,
                         .shape = {static_cast<std::int64_t>(got.size())},
                         .tolerance = std::move(tolerance)};
  verdict.is_right =
      verify_output(spec, Array::from(got), Array::from(kWant), verdict.record, verdict.reason);
  return verdict;
}

float sentinel() {
  const std::uint32_t pattern = sentinel_pattern(DType::kFloat32);
  float value = 0;
  std::memcpy(&value, &pattern, sizeof value);
  return value;
}

TEST_CASE("Equal outputs are right and say with which tolerance") {
  const Verdict verdict = verdict_on(kWant, {.rtol = 1e-6});
  CHECK(verdict.is_right);
  CHECK(verdict.reason.empty());
  CHECK(verdict.record.mismatches == 0);
  CHECK(verdict.record.max_abs_err == 0);
  CHECK(verdict.record.tolerance == "rtol=1e-06 atol=0");
  CHECK(verdict.record.mode == "allclose");
}

TEST_CASE("A wrong element is counted, placed and quoted") {
  const Verdict verdict = verdict_on({1, 2, 3.5f, 5}, {.rtol = 1e-6});
  CHECK_FALSE(verdict.is_right);
  CHECK(verdict.record.mismatches == 2);
  CHECK(verdict.record.max_abs_err == 1);
  CHECK_THAT(
      verdict.reason,
      Contains("output 'z': 2 of 4 elements are wrong (rtol=1e-06 atol=0); first at [2]: got "
               "3.5, expected 3"));
}

TEST_CASE("Within the tolerance is right, ten times beyond is not") {
  CHECK(verdict_on({1, 2, 3 * (1 + 0.9e-3f), 4}, {.rtol = 1e-3}).is_right);
  CHECK_FALSE(verdict_on({1, 2, 3 * (1 + 1e-2f), 4}, {.rtol = 1e-3}).is_right);
  CHECK(verdict_on({1, 2, 3.4f, 4}, {.atol = 0.5}).is_right);
}

TEST_CASE("Unwritten elements are told from wrong ones") {
  const Verdict some = verdict_on({1, 2, 3, sentinel()});
  const Verdict all = verdict_on({sentinel(), sentinel(), sentinel(), sentinel()});
  CHECK_FALSE(some.is_right);
  CHECK_THAT(some.reason, Contains("1 of 4 elements were never written; first wrong one at [3]"));
  CHECK_THAT(all.reason, Contains("4 of 4 elements were never written"));
  CHECK(std::isnan(some.record.max_abs_err));
}

TEST_CASE("Integers that were never written have no error in numbers") {
  const std::vector<std::int32_t> want{1, 2};
  std::vector<std::int32_t> got = want;
  const std::uint32_t pattern = sentinel_pattern(DType::kInt32);
  std::memcpy(&got[1], &pattern, sizeof pattern);
  OutputRecord record;
  std::string reason;
  const OutputArray spec{.name = "z", .dtype = DType::kInt32, .shape = {2}};
  CHECK_FALSE(verify_output(spec, Array::from(got), Array::from(want), record, reason));
  CHECK(record.mismatches == 1);
  for (const double error :
       {record.max_abs_err, record.max_rel_err, record.max_ulp, record.rms_err})
    CHECK(std::isnan(error));
}

TEST_CASE("A NaN where none belongs is wrong however wide the tolerance") {
  const Verdict verdict = verdict_on({1, std::nanf(""), 3, 4}, {.rtol = 1e9, .atol = 1e9});
  CHECK_FALSE(verdict.is_right);
  CHECK(verdict.record.mismatches == 1);
  CHECK_THAT(verdict.reason, Contains("1 of 4 elements are wrong"));
}

TEST_CASE("An infinity where none belongs is wrong however wide the tolerance") {
  CHECK_FALSE(verdict_on({1, INFINITY, 3, 4}, {.rtol = 1e9, .atol = 1e9}).is_right);
}

}  // namespace
}  // namespace kernelbatch
