#include "core/search/score.hpp"

#include <cmath>
#include <numeric>

#include "tests/support/catch.hpp"
#include "tests/support/paths.hpp"

namespace kernelbatch {
namespace {

std::vector<RecordedTry> tries_of(const std::vector<double>& times) {
  std::vector<RecordedTry> tries;
  for (const double time : times) tries.push_back({time, 0.5});
  return tries;
}

TEST_CASE("The expectation of random search is the mean over all draws") {
  const RandomBaseline baseline(tries_of({1, 2, 3, 4}));
  CHECK(baseline.expected(1) == Approx(2.5));
  // Three of the six pairs have 1, two have 2, one has 3.
  CHECK(baseline.expected(2) == Approx((3 * 1 + 2 * 2 + 1 * 3) / 6.0));
  CHECK(baseline.expected(1.5) == Approx((2.5 + 10 / 6.0) / 2));
  CHECK(baseline.expected(4) == Approx(1));
  CHECK(baseline.expected(9) == Approx(1));
  CHECK(baseline.best() == 1);
  CHECK(baseline.median() == Approx(2.5));
  CHECK(baseline.mean_cost() == Approx(0.5));
  CHECK(baseline.cutoff() == 4);
}

TEST_CASE("A failure is a try that finds nothing") {
  const RandomBaseline baseline(tries_of({1, 3, NAN, NAN}));
  CHECK(baseline.expected(1) == Approx(2));
  // Pairs with a time, {1, 3}, two of 1 and two of 3: 1, 1, 1, 3, 3.
  CHECK(baseline.expected(2) == Approx(9 / 5.0));
}

/// 4092 configurations of a real kernel.
const RecordedSpace& pnpoly() {
  static const RecordedSpace space =
      RecordedSpace::read(test::source_folder() + "/data/tuning/pnpoly_rtx3090.json.gz");
  return space;
}

ReplayScore replayed(const ReplayOptions& options) {
  return replay(pnpoly(), RandomBaseline(pnpoly().tries()), options);
}

TEST_CASE("Random search scores nothing, and a search that finds the best early much") {
  CHECK(pnpoly().size() == 4092);
  const ReplayScore random = replayed({SearchStrategy::kRandom, 200, 1});
  CHECK(std::abs(random.score) < 0.12);
  const ReplayScore local = replayed({SearchStrategy::kLocal, 40, 1});
  CHECK(local.score > 0.25);
  CHECK(local.curve.back().found < random.curve.back().found);
  CHECK(local.tries_to_five_percent.size() == 40);
}

TEST_CASE("A replayed search is the same for the same seed") {
  const auto found = [](std::uint64_t seed) {
    return replayed({SearchStrategy::kLocal, 4, seed}).tries_to_five_percent;
  };
  CHECK(found(5) == found(5));
}

}  // namespace
}  // namespace kernelbatch
