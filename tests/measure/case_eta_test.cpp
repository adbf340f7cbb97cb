#include "core/measure/case_eta.hpp"

#include <vector>

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

using Sayings = std::vector<CaseEta>;

TEST_CASE("Variants without a turn are expected to take as long as the others, plus evidence") {
  Sayings told;
  const double evidence = 0.5;
  CaseEtaEstimator eta([&](CaseEta left) { told.push_back(left); }, evidence);
  eta.begin(4, 0, 10);
  eta.on_timing(0, 0, 10.5);  // no variant had a turn
  CHECK(told.empty());
  eta.on_timing(2, 2, 11);
  REQUIRE(told.size() == 1);
  CHECK(told[0].seconds == Approx(4 + 4 * 0.5));
  CHECK(told[0].timing_s == Approx(1 + 4));
}

TEST_CASE("The time for ending variants is learned") {
  Sayings told;
  const double evidence = 0.5;
  CaseEtaEstimator eta([&](CaseEta left) { told.push_back(left); }, evidence);
  eta.begin(3, 0, 0);
  eta.on_timed(6);
  eta.on_end(2, 9);  // 2 for evidence, 1 for the rest
  REQUIRE(told.size() == 1);
  CHECK(told[0].seconds == Approx(2 * 3));
  CHECK(told[0].timing_s == Approx(6 + 3 * 1));
  CHECK(told[0].evidence_s == 2);
  eta.on_end(0, 10);  // failed before it
  REQUIRE(told.size() == 2);
  CHECK(told[1].seconds == Approx(1 + 2));
  CHECK(told[1].timing_s == Approx(6 + 3 * 1));
}

TEST_CASE("Variants that wait for memory are included in the estimate") {
  Sayings told;
  const double evidence = 0;
  CaseEtaEstimator eta([&](CaseEta left) { told.push_back(left); }, evidence);
  eta.begin(2, 1, 0);
  eta.on_timing(6, 2, 2);
  REQUIRE(told.size() == 1);
  CHECK(told[0].seconds == Approx(6 + 8 / 2));
  CHECK(told[0].timing_s == Approx(8 + 8 / 2));
  eta.on_timed(8);
  eta.on_end(0, 8);
  eta.on_end(0, 8);
  eta.begin(1, 0, 10);
  eta.on_timing(3, 1, 11);
  CHECK(told.back().seconds == Approx(3));
  CHECK(told.back().timing_s == Approx(8 + 4));
}

TEST_CASE("Reports are limited to a few per second") {
  int count = 0;
  const double evidence = 0;
  CaseEtaEstimator eta([&](CaseEta) { ++count; }, evidence);
  eta.begin(1, 0, 0);
  CHECK(eta.is_due(0));
  eta.on_timing(1, 1, 0);
  CHECK_FALSE(eta.is_due(0.1));
  CHECK(eta.is_due(0.3));
  for (int k = 1; k <= 1000; ++k) eta.on_timing(1, 1, k * 0.001);
  CHECK(count >= 4);
  CHECK(count <= 6);
}

}  // namespace
}  // namespace kernelbatch
