#include "core/measure/statistics.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

/// 1, 2, …, n.
std::vector<double> counting(int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST_CASE("Median, quartiles and MAD equal values computed by hand") {
  // Sorted 1 2 3 4 100: quartiles at ranks 1 and 3; deviations from 3 are 2 1 0 1 97.
  const std::vector<double> samples{4, 1, 100, 3, 2};

  const Summary summary = summarise(samples);

  CHECK(summary.samples == 5);
  CHECK(summary.median == 3);
  CHECK(summary.iqr == 2);
  CHECK(summary.mad == 1);
  CHECK(summary.min == 1);
  CHECK(summary.max == 100);
  CHECK(summary.mean == 22);
}

TEST_CASE("An even number of samples is interpolated linearly") {
  // 1 2 3 4: median 2.5, quartiles 1.75 and 3.25; deviations 0.5 0.5 1.5 1.5.
  const Summary summary = summarise(counting(4));

  CHECK(summary.median == 2.5);
  CHECK(summary.iqr == Approx(1.5));
  CHECK(summary.mad == 1);
}

TEST_CASE("The interval of the median has the ranks n/2 -+ 1.96 sqrt(n)/2") {
  // n = 100: ranks floor(50 - 9.8) = 40 and ceil(51 + 9.8) = 61.
  const Summary hundred = summarise(counting(100));
  CHECK(hundred.ci95_low == 40);
  CHECK(hundred.ci95_high == 61);

  // n = 25: floor(12.5 - 4.9) = 7, ceil(13.5 + 4.9) = 19.
  const Summary few = summarise(counting(25));
  CHECK(few.ci95_low == 7);
  CHECK(few.ci95_high == 19);
}

TEST_CASE("The interval covers the median of coin flips in at least 95 of 100") {
  // Ranks (low, high) miss with probability 2 * P(Binomial(n, 1/2) < low).
  for (const int n : {6, 7, 10, 17, 30, 64, 100, 333}) {
    const Summary summary = summarise(counting(n));
    const auto low = static_cast<int>(summary.ci95_low);
    double missed = 0;
    for (int k = 0; k < low; ++k)
      missed += 2 * std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) -
                             n * std::log(2.0));
    CAPTURE(n, low, missed);
    CHECK(missed <= 0.05);
    CHECK(summary.ci95_low + summary.ci95_high == Approx(n + 1));
  }
}

TEST_CASE("Fewer than six samples have no interval narrower than their range") {
  const Summary five = summarise(counting(5));
  CHECK(five.ci95_low == 1);
  CHECK(five.ci95_high == 5);
  CHECK(std::isinf(relative_interval(counting(5))));
  CHECK_FALSE(std::isinf(relative_interval(counting(6))));
}

TEST_CASE("No samples give a summary of missing values") {
  const Summary summary = summarise({});
  CHECK(summary.samples == 0);
  CHECK(std::isnan(summary.median));
  CHECK(std::isnan(summary.ci95_low));
  CHECK(std::isinf(relative_interval({})));
}

TEST_CASE("One sample and equal samples have no spread") {
  const std::vector<double> one{7};
  const std::vector<double> equal(50, 7.0);
  CHECK(summarise(one).median == 7);
  CHECK(summarise(one).iqr == 0);
  CHECK(summarise(equal).mad == 0);
  CHECK(relative_interval(equal) == 0);
}

TEST_CASE("Times of zero never count as precise") {
  CHECK(std::isinf(relative_interval(std::vector<double>(50, 0.0))));
}

}  // namespace
}  // namespace kernelbatch
