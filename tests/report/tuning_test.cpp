#include "core/report/tuning.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "tests/support/catch.hpp"
#include "tests/support/made_result.hpp"

namespace kernelbatch {
namespace {

ResultRecord result(std::int64_t n, std::int64_t block, double median, double half_width = 0) {
  return test::MadeResult("raw", median, half_width)
      .of("demo")
      .with("n", n)
      .with("block", block)
      .set(&ResultRecord::tuned, "block")
      .made();
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

TEST_CASE("A wrong result is never the best") {
  std::vector<ResultRecord> results{result(1, 32, 1e-3), result(1, 64, 2e-3)};
  results[0].status = Status::kVerificationFailed;
  const std::vector<Tuned> tuned = tuned_of(results);
  REQUIRE(tuned.size() == 1);
  CHECK(tuned[0].best == &results[1]);
  CHECK(tuned[0].failed == 1);
  results[1].status = Status::kCrashed;
  CHECK(tuned_of(results).empty());
}

TEST_CASE("The table shows the best, its interval and the comparison") {
  const std::string table = tuning_table({result(1, 32, 4e-3), result(1, 64, 2e-3, 1e-5)});
  CAPTURE(table);
  CHECK_THAT(table, Contains("block=64") && Contains("2.00x") && Contains("1.99 ms … 2.01 ms"));
  std::vector<ResultRecord> plain{result(1, 32, 4e-3)};
  plain[0].tuned.clear();
  CHECK(tuning_table(plain).empty());
}

TEST_CASE("A search contains the tries of one variant of one problem in the order of their start") {
  std::vector<ResultRecord> results{result(1, 32, 4e-3), result(1, 64, 2e-3), result(1, 128, 3e-3),
                                    result(2, 32, 5e-3), result(1, 256, 1e-3)};
  const std::int64_t begins[] = {30, 10, -1, 50, 10};
  for (std::size_t k = 0; k < results.size(); ++k) {
    results[k].start_ns = begins[k];
    results[k].plan_index = static_cast<std::int64_t>(k);
  }
  results.push_back(results[0]);
  results.back().variant = "reference";
  results.back().kind = VariantKind::kReference;
  results.push_back(results[0]);
  results.back().tuned.clear();
  const std::vector<Search> searches = searches_of(results);
  REQUIRE(searches.size() == 2);
  CHECK(searches[0].names == std::vector<std::string>{"block"});
  CHECK(searches[0].params == "n=1");
  CHECK(searches[0].tries ==
        std::vector<const ResultRecord*>{&results[1], &results[4], &results[0], &results[2]});
  CHECK(searches[1].tries == std::vector<const ResultRecord*>{&results[3]});
}

TEST_CASE("A search without a correct result has no best") {
  std::vector<ResultRecord> results{result(1, 32, 1e-3)};
  results[0].status = Status::kCrashed;
  const std::vector<Search> searches = searches_of(results);
  REQUIRE(searches.size() == 1);
  CHECK(tuned_of(searches[0]).best == nullptr);
  CHECK(tuned_of(searches[0]).failed == 1);
  CHECK(std::isnan(shares_of(searches[0]).at(0).share));
}

TEST_CASE("Tries of a kernel that was edited do not count") {
  std::vector<ResultRecord> results{result(1, 32, 1e-3), result(1, 64, 2e-3)};
  results[0].run = 1;
  results[1].run = 2;
  results[0].made_of = R"({"kernel raw":"old"})";
  results[1].made_of = R"({"kernel raw":"new"})";
  CHECK(searches_of(results).at(0).tries == std::vector<const ResultRecord*>{&results[1]});
}

TEST_CASE("A dropped try has the time of its sample, and one that failed has none") {
  ResultRecord record = result(1, 32, 4e-3);
  CHECK(time_of_try(record) == 4e-3);
  record.status = Status::kDropped;
  CHECK(time_of_try(record) == 4e-3);
  record.status = Status::kSuspect;
  CHECK(std::isnan(time_of_try(record)));
  for (const double odd : {0.0, -1.0, kMissing, std::numeric_limits<double>::infinity()})
    CHECK(std::isnan(time_of_try(result(1, 32, odd))));
}

TEST_CASE("The time of a search excludes the time between its runs") {
  std::vector<ResultRecord> results;
  const auto add = [&](std::int64_t run, std::int64_t begin_s, std::int64_t end_s) {
    results.push_back(result(1, static_cast<std::int64_t>(results.size()), 1e-3));
    results.back().run = run;
    results.back().start_ns = begin_s < 0 ? -1 : begin_s * 1'000'000'000;
    results.back().end_ns = end_s * 1'000'000'000;
  };
  add(1, 100, 101);
  add(1, 103, 104);
  add(2, 5104, 5106);  // resumed 5000 s later
  add(2, 5105, 5109);  // concurrently
  add(2, -1, -1);
  const std::vector<double> ends = ends_of_tries(searches_of(results).at(0));
  REQUIRE(ends.size() == 5);
  CHECK(ends[0] == Approx(1));
  CHECK(ends[1] == Approx(4));
  CHECK(ends[2] == Approx(6));
  CHECK(ends[3] == Approx(9));
  CHECK(std::isnan(ends[4]));
}

/// A try of `a`, `b` and `c`; c is a text.
ResultRecord try_of(std::int64_t a, std::int64_t b, const std::string& c, double log_time) {
  ResultRecord record = result(1, 0, std::exp(log_time));
  record.params = {{"n", std::int64_t{1}}, {"a", a}, {"b", b}, {"c", c}};
  record.tuned = "a b c";
  return record;
}

std::vector<ParameterShare> shares_of_tries(const std::vector<ResultRecord>& results) {
  const std::vector<Search> searches = searches_of(results);
  REQUIRE(searches.size() == 1);
  return shares_of(searches[0]);
}

TEST_CASE("The share of a parameter is what its values explain of the variance of log(time)") {
  // Effects of variance 4 and 1 without any of c: of 5 shares they are 0.8 and 0.2, but for the
  // adjustment by (N - 1) / (N - values).
  std::vector<ResultRecord> results;
  for (int repeat = 0; repeat < 50; ++repeat)
    for (const std::int64_t a : {-1, 1})
      for (const std::int64_t b : {-1, 1})
        for (const char* c : {"auto", "1"})
          results.push_back(
              try_of(a, b, c, -7 + 2 * static_cast<double>(a) + static_cast<double>(b)));
  const std::vector<ParameterShare> shares = shares_of_tries(results);
  REQUIRE(shares.size() == 3);
  CHECK(shares[0].name == "a");
  CHECK(shares[0].values == 2);
  CHECK(shares[0].share == Approx(1 - 0.2 * 399 / 398));
  CHECK(shares[1].share == Approx(1 - 0.8 * 399 / 398));
  CHECK(shares[2].share == 0);
}

TEST_CASE("Interactions of parameters are in neither's share") {
  std::vector<ResultRecord> results;
  for (int repeat = 0; repeat < 10; ++repeat)
    for (const std::int64_t a : {-1, 1})
      for (const std::int64_t b : {-1, 1})
        results.push_back(try_of(a, b, "x", static_cast<double>(a * b)));
  for (const ParameterShare& share : shares_of_tries(results)) CHECK(share.share == 0);
}

TEST_CASE("A parameter without effect has a share of about 0, however many values it has") {
  double sum = 0;
  constexpr int kRepeats = 200;
  for (unsigned seed = 0; seed < kRepeats; ++seed) {
    std::mt19937 random(seed);
    std::vector<ResultRecord> results;
    for (int k = 0; k < 100; ++k) {
      // Box and Muller: the same numbers with every library.
      const auto uniform = [&] { return (static_cast<double>(random()) + 0.5) / 4294967296.0; };
      const double noise =
          std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform());
      results.push_back(try_of(static_cast<std::int64_t>(random() % 40), 0, "x", noise));
    }
    const double share = shares_of_tries(results)[0].share;
    CHECK(share < 0.5);
    sum += share;
  }
  // Without the adjustment it would be 0.37; half of the remaining noise is clamped at 0.
  CHECK(sum / kRepeats < 0.06);
}

TEST_CASE("Shares of odd searches are 0 or unknown, never NaN by surprise") {
  // Every value once: effects and noise cannot be separated.
  std::vector<ResultRecord> results{try_of(1, 1, "x", -1), try_of(2, 1, "x", -2)};
  CHECK(std::isnan(shares_of_tries(results)[0].share));
  CHECK(shares_of_tries(results)[1].share == 0);
  // All equal.
  results = {try_of(1, 1, "x", -1), try_of(1, 2, "x", -1), try_of(2, 1, "x", -1)};
  for (const ParameterShare& share : shares_of_tries(results)) CHECK(share.share == 0);
  // One try; then dropped ones, which count, and one that failed, which does not.
  results = {try_of(1, 1, "x", -1)};
  CHECK(std::isnan(shares_of_tries(results)[0].share));
  results = {try_of(1, 1, "x", -1), try_of(1, 1, "y", -1), try_of(2, 1, "x", -3),
             try_of(2, 1, "y", -3), try_of(3, 1, "x", 9)};
  results[2].status = Status::kDropped;
  results[4].status = Status::kVerificationFailed;
  CHECK(shares_of_tries(results)[0].share == Approx(1));
  CHECK(shares_of_tries(results)[0].values == 2);
  // A parameter that no try has.
  for (ResultRecord& record : results) record.tuned = "a gone";
  CHECK(shares_of(searches_of(results).at(0)).at(1).values == 1);
}

}  // namespace
}  // namespace kernelbatch
