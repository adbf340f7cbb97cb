#include "core/report/tuning.hpp"

#include <cmath>

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

ResultRecord result(std::int64_t n, std::int64_t block, double median, double half_width = 0) {
  ResultRecord record;
  record.workload = "demo";
  record.variant = "raw";
  record.kind = "raw";
  record.status = Status::kOk;
  record.params = {{"n", n}, {"block", block}};
  record.tuned = "block";
  record.cold.samples = 10;
  record.cold.median = median;
  record.cold.ci95_low = median - half_width;
  record.cold.ci95_high = median + half_width;
  return record;
}

TEST_CASE("The best of each variant of each problem is named") {
  const std::vector<ResultRecord> results{result(1, 32, 4e-3), result(1, 64, 2e-3),
                                          result(1, 128, 3e-3), result(2, 32, 5e-3),
                                          result(2, 64, 6e-3)};
  const std::vector<Tuned> tuned = tuned_of(results);
  REQUIRE(tuned.size() == 2);
  CHECK(tuned[0].params == "n=1");
  CHECK(tuned[0].best == &results[1]);
  CHECK(tuned[0].slowest == &results[0]);
  CHECK(tuned[0].tried == 3);
  CHECK(tuned[0].as_good == 1);
  CHECK(tuned[1].best == &results[3]);
}

TEST_CASE("Configurations whose intervals overlap the best one's are as good") {
  const std::vector<ResultRecord> results{
      result(1, 32, 2.1e-3, 0.2e-3), result(1, 64, 2e-3, 0.05e-3), result(1, 128, 3e-3, 0.1e-3)};
  CHECK(tuned_of(results).at(0).as_good == 2);
}

TEST_CASE("What is wrong is never the best") {
  std::vector<ResultRecord> results{result(1, 32, 1e-3), result(1, 64, 2e-3)};
  results[0].status = Status::kVerificationFailed;
  const std::vector<Tuned> tuned = tuned_of(results);
  REQUIRE(tuned.size() == 1);
  CHECK(tuned[0].best == &results[1]);
  CHECK(tuned[0].failed == 1);
  results[1].status = Status::kCrashed;
  CHECK(tuned_of(results).empty());
}

TEST_CASE("The table says what was best, its interval and against what") {
  const std::string table = tuning_table({result(1, 32, 4e-3), result(1, 64, 2e-3, 1e-5)});
  CAPTURE(table);
  CHECK_THAT(table, Contains("block=64") && Contains("2.00x") && Contains("1.99 ms … 2.01 ms"));
  std::vector<ResultRecord> plain{result(1, 32, 4e-3)};
  plain[0].tuned.clear();
  CHECK(tuning_table(plain).empty());
}

}  // namespace
}  // namespace kernelbatch
