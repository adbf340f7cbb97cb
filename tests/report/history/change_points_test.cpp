#include "core/report/history/change_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/process.hpp"
#include "tests/report/history/made_up_series.hpp"
#include "tests/report/history/plain_e_divisive.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

using test::kNoiseKinds;
using test::made_up_noise;
using test::MadeUpSeries;
using test::NoiseKind;
using test::Pattern;
using Points = std::vector<SeriesPoint>;
using Indices = std::vector<std::size_t>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// A number of runs of each time, in s.
Points times(const std::vector<std::pair<double, std::size_t>>& steps) {
  Points points;
  for (const auto& [time, runs] : steps) points.insert(points.end(), runs, {.value = time});
  return points;
}

/// The same with normal noise and the intervals that go with it.
Points noisy(const std::vector<std::pair<double, std::size_t>>& steps, double level,
             unsigned seed = 1) {
  test::Random random(seed);
  const Points clean = times(steps);
  Points points = made_up_noise(NoiseKind::kNormal, level, clean.size(), random);
  for (std::size_t k = 0; k < points.size(); ++k)
    for (double* time : {&points[k].value, &points[k].low, &points[k].high})
      *time *= clean[k].value;
  return points;
}

Indices indices(const Points& points, const ChangePointOptions& options = {}) {
  Indices result;
  for (const ChangePoint& point : find_change_points(points, options))
    result.push_back(point.index);
  return result;
}

/// The full count, or a part if another preset of the same sources runs all.
std::size_t series_of(std::size_t count) {
  return environment("KERNELBATCH_TEST_QUICK") ? count / 20 : count;
}

TEST_CASE("A step without noise is found exactly") {
  const auto found = find_change_points(times({{2, 6}, {3, 7}}));
  REQUIRE(found.size() == 1);
  CHECK(found[0].index == 6);
  CHECK(found[0].before == Approx(2));
  CHECK(found[0].after == Approx(3));
  CHECK(found[0].change == Approx(0.5));
  CHECK(found[0].low == Approx(1.5));
  CHECK(found[0].high == Approx(1.5));
  CHECK(found[0].p < 1e-6);
  CHECK(indices(times({{2, 10}, {3, 10}, {2.5, 10}, {3, 10}})) == Indices{10, 20, 30});
}

TEST_CASE("Without a change nothing is found") {
  CHECK(indices({}).empty());
  CHECK(indices(times({{1, 1}})).empty());
  CHECK(indices(times({{1, 5}})).empty());
  CHECK(indices(times({{1, 100}})).empty());
  CHECK(indices(times({{1e-9, 1000}})).empty());
  CHECK(indices(noisy({{1, 100}}, 0.02)).empty());
}

TEST_CASE("Fewer runs than two segments give no change points") {
  CHECK(indices(times({{1, 3}, {2, 2}})).empty());
  CHECK(indices(times({{1, 3}, {2, 3}})) == Indices{3});
  CHECK(indices(times({{1, 5}, {2, 4}}), {.min_segment = 5}).empty());
  CHECK(indices(times({{1, 5}, {2, 5}}), {.min_segment = 5}) == Indices{5});
  for (const std::size_t few : {0u, 1u, 2u})
    CHECK(indices(times({{1, 50}, {2, 2}}), {.min_segment = few}).empty());
}

TEST_CASE("One spike, or two, is no change; three runs and more are") {
  for (const double height : {0.9, 1.02, 1.1, 2.0, 100.0})
    for (const std::size_t before : {0u, 1u, 20u}) {
      CAPTURE(height, before);
      for (const std::size_t spikes : {1u, 2u})
        for (const std::size_t after : {40u, 2u, 0u})
          CHECK(indices(noisy({{1, 40 + before}, {height, spikes}, {1, after}}, 0.001)).empty());
      CHECK(indices(noisy({{height, 2}, {1, 40}}, 0.001)).empty());
      CHECK(indices(noisy({{1, 40 + before}, {height, 3}}, 0.001)) == Indices{40 + before});
      CHECK(indices(noisy({{1, 40 + before}, {height, 3}, {1, 40}}, 0.001)) ==
            Indices{40 + before, 43 + before});
    }
}

TEST_CASE("If spikes are frequent, more runs in a row are needed") {
  Points points = noisy({{1, 40}, {1.1, 3}}, 0.001);
  CHECK(indices(points) == Indices{40});
  for (const std::size_t spike : {3u, 11u, 18u, 30u}) points[spike].value = 1.1;
  CHECK(indices(points).empty());
  points = noisy({{1, 40}, {1.1, 8}}, 0.001);
  for (const std::size_t spike : {3u, 11u, 18u, 30u}) points[spike].value = 1.1;
  CHECK(indices(points) == Indices{40});
}

TEST_CASE("Steps of each size are found at their position") {
  for (const auto& [step, level] : {std::pair(0.01, 0.001), {0.02, 0.003}, {0.05, 0.008}})
    for (const double factor : {1 + step, 1 / (1 + step)}) {
      CAPTURE(factor, level);
      std::size_t exact = 0, near = 0, others = 0;
      for (unsigned seed = 0; seed < 100; ++seed) {
        const auto found =
            find_change_points(noisy({{1e-5, 60}, {1e-5 * factor, 40}}, level, seed));
        for (const ChangePoint& point : found) {
          exact += point.index == 60 ? 1 : 0;
          const bool is_near = point.index >= 59 && point.index <= 61;
          ++(is_near ? near : others);
          if (is_near) CHECK(1 + point.change == Approx(factor).margin(level));
        }
      }
      CHECK(exact >= 95);
      CHECK(near == 100);
      CHECK(others == 0);
    }
}

TEST_CASE("Two changes do not hide each other") {
  CHECK(indices(noisy({{1, 30}, {1.05, 30}, {1, 40}}, 0.01)) == Indices{30, 60});
  CHECK(indices(noisy({{1, 45}, {1.05, 6}, {1, 49}}, 0.005)) == Indices{45, 51});
  CHECK(indices(noisy({{1, 300}, {1.05, 10}, {1, 690}}, 0.005)) == Indices{300, 310});
}

TEST_CASE("The interval of a change holds it 19 times of 20") {
  std::size_t found = 0, inside = 0;
  for (unsigned seed = 0; seed < series_of(1000); ++seed)
    for (const ChangePoint& point :
         find_change_points(noisy({{1, 50}, {1.05, 50}}, 0.01, 100 + seed))) {
      ++found;
      inside += point.low <= 1.05 && 1.05 <= point.high ? 1 : 0;
    }
  CHECK(found >= series_of(1000));
  CHECK(static_cast<double>(inside) >= 0.93 * static_cast<double>(found));
}

TEST_CASE("Neither the unit nor the direction of time changes what is found") {
  const Points points = noisy({{1, 30}, {1.04, 45}, {1.08, 25}}, 0.01);
  const Indices expected = indices(points);
  REQUIRE(expected.size() == 2);
  Points scaled = points;
  for (SeriesPoint& point : scaled)
    for (double* time : {&point.value, &point.low, &point.high}) *time *= 1e-6;
  CHECK(indices(scaled) == expected);
  Points reversed(points.rbegin(), points.rend());
  Indices mirrored = indices(reversed);
  for (std::size_t& index : mirrored) index = points.size() - index;
  std::ranges::reverse(mirrored);
  CHECK(mirrored == expected);
}

TEST_CASE("Values that are no times are skipped, and indices count them") {
  Points points = noisy({{1, 30}, {1.1, 30}}, 0.01);
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double other : {kNan, 0.0, -1.0, infinity}) {
    Points with = points;
    with.insert(with.begin() + 30, {.value = other, .low = 1, .high = 1});
    with.insert(with.begin() + 5, 2, {.value = other});
    CHECK(indices(with) == Indices{33});
  }
  CHECK(indices(Points(100)).empty());
}

TEST_CASE("Intervals that are none count as the others") {
  const Points points = noisy({{1, 30}, {1.03, 30}}, 0.01);
  REQUIRE(indices(points) == Indices{30});
  for (const auto& [low, high] : {std::pair(kNan, kNan),
                                  {kNan, 2.0},
                                  {0.0, 2.0},
                                  {-1.0, 2.0},
                                  {2.0, 3.0},
                                  {0.5, 0.6},
                                  {1e-3, HUGE_VAL}}) {
    Points some = points, none = points;
    for (std::size_t k = 0; k < points.size(); ++k) {
      none[k].low = low;
      none[k].high = high;
      if (k % 5 == 0) some[k] = none[k];
    }
    CHECK(indices(some) == Indices{30});
    CHECK(indices(none) == Indices{30});
  }
}

TEST_CASE("A run weighs as much as its interval is narrow") {
  // Six runs are 10 % slower; their evidence depends on their uncertainty.
  Points points = noisy({{1, 60}, {1.1, 6}, {1, 34}}, 0.002);
  CHECK(indices(points) == Indices{60, 66});
  for (std::size_t k = 60; k < 66; ++k) {
    points[k].low = points[k].value / 1.2;
    points[k].high = points[k].value * 1.2;
  }
  CHECK(indices(points).empty());
  // Uncertain runs do not hide the evidence of the others.
  Points mixed = noisy({{1, 50}, {1.02, 50}}, 0.003);
  test::Random random(3);
  std::normal_distribution<double> normal;
  for (std::size_t k = 0; k < mixed.size(); k += 2) {
    mixed[k].value *= std::exp(0.1 * normal(random));
    mixed[k].low = mixed[k].value * std::exp(-0.196);
    mixed[k].high = mixed[k].value * std::exp(0.196);
  }
  const Indices found = indices(mixed);
  REQUIRE(found.size() == 1);
  CHECK(std::abs(static_cast<double>(found[0]) - 50) <= 1);
  const std::vector<double> values = [&] {
    std::vector<double> result;
    for (const SeriesPoint& point : mixed) result.push_back(point.value);
    return result;
  }();
  CHECK(test::plain_e_divisive(values).empty());
}

TEST_CASE("Changes that are too small to count are none") {
  const Points points = noisy({{1, 50}, {1.003, 50}}, 0.0003);
  CHECK(indices(points).empty());
  CHECK(indices(points, {.min_change = 0.002}) == Indices{50});
  CHECK(indices(noisy({{1, 50}, {1.02, 50}}, 0.0003), {.min_change = 0.03}).empty());
  CHECK(indices(noisy({{1.02, 50}, {1, 50}}, 0.0003), {.min_change = 0.0195}) == Indices{50});
}

TEST_CASE("Segments cover the series and hold their means") {
  Points points = noisy({{1, 40}, {1.1, 30}, {1.2, 30}}, 0.01);
  points[0].value = points[40].value = points.back().value = kNan;
  const auto found = find_change_points(points);
  REQUIRE(found.size() == 2);
  const auto segments = segments_of(points, found);
  REQUIRE(segments.size() == 3);
  CHECK(segments.front().begin == 0);
  CHECK(segments.back().end == points.size());
  for (std::size_t k = 0; k < 3; ++k) {
    CAPTURE(k);
    if (k > 0) CHECK(segments[k].begin == segments[k - 1].end);
    if (k > 0) CHECK(segments[k].begin == found[k - 1].index);
    CHECK(segments[k].low < segments[k].mean);
    CHECK(segments[k].mean < segments[k].high);
    CHECK(segments[k].mean == Approx(1 + 0.1 * static_cast<double>(k)).margin(0.005));
  }
  CHECK(segments[0].mean == Approx(found[0].before).epsilon(1e-3));
  CHECK(segments[1].mean == Approx(found[0].after).epsilon(1e-3));
}

TEST_CASE("A segment without values has no mean") {
  CHECK(segments_of({}, {}).size() == 1);
  const auto empty = segments_of(Points(4), {});
  REQUIRE(empty.size() == 1);
  CHECK(empty[0].end == 4);
  CHECK(std::isnan(empty[0].mean));
  CHECK(std::isnan(empty[0].high));
  const auto one = segments_of(times({{3, 1}}), {});
  CHECK(one[0].mean == Approx(3));
  CHECK(std::isnan(one[0].low));
  CHECK(outliers_of({}, {}).empty());
  CHECK(outliers_of(Points(4), {}) == std::vector<bool>(4));
  CHECK(outliers_of(times({{3, 1}}), {}) == std::vector<bool>(1));
}

TEST_CASE("Outliers are runs that their segment does not explain") {
  Points points = noisy({{1, 40}, {1.1, 40}}, 0.005);
  for (const std::size_t spike : {7u, 8u, 60u}) points[spike].value *= 1.05;
  points[20].value = kNan;
  const auto found = find_change_points(points);
  REQUIRE(found.size() == 1);
  const auto outliers = outliers_of(points, found);
  for (std::size_t k = 0; k < points.size(); ++k) {
    CAPTURE(k);
    CHECK(outliers[k] == (k == 7 || k == 8 || k == 60));
  }
  std::size_t series = 0;
  for (unsigned seed = 0; seed < series_of(1000); ++seed)
    series += std::ranges::count(outliers_of(noisy({{1, 100}}, 0.01, seed), {}), true) > 0 ? 1 : 0;
  CHECK(static_cast<double>(series) <= 0.1 * static_cast<double>(series_of(1000)));
}

TEST_CASE("Of 1,000 series without a change at most one has a false alarm") {
  for (const NoiseKind kind : kNoiseKinds) {
    CAPTURE(static_cast<int>(kind));
    test::Random random(11);
    std::size_t alarms = 0;
    for (std::size_t k = 0; k < series_of(1000); ++k) {
      const auto series = made_up_series(kind, 0.02, Pattern::kNone, 0, 100, random);
      alarms += find_change_points(series.points).empty() ? 0 : 1;
    }
    CHECK(alarms <= 1);
  }
}

TEST_CASE("For any series, change points are ordered and large enough") {
  test::Random random(5);
  const auto pick = [&](std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(0, most)(random);
  };
  std::size_t changes = 0;
  for (std::size_t k = 0; k < series_of(5000); ++k) {
    Points points = made_up_noise(kNoiseKinds[k % kNoiseKinds.size()], std::pow(10, -double(k % 5)),
                                  pick(60), random);
    double time = 1;
    for (SeriesPoint& point : points) {
      if (pick(9) == 0) time *= 1 + 0.1 * static_cast<double>(pick(9));
      point.value *= time;
      if (pick(9) == 0) point.value = pick(1) == 0 ? kNan : 1;
      if (pick(4) == 0) point.low = point.high = point.value;
    }
    const ChangePointOptions options{.p = std::pow(10, -double(pick(6))), .min_segment = pick(5)};
    const auto found = find_change_points(points, options);
    changes += found.size();
    std::size_t before = 0;
    for (const ChangePoint& point : found) {
      REQUIRE(point.index >= before + std::max(kLeastSegment, options.min_segment));
      REQUIRE(points.size() - point.index >= std::max(kLeastSegment, options.min_segment));
      REQUIRE(point.p < options.p);
      REQUIRE(std::max(point.after / point.before, point.before / point.after) >= 1.005 - 1e-9);
      REQUIRE(point.change == Approx(point.after / point.before - 1).margin(1e-9));
      REQUIRE(point.low <= 1 + point.change + 1e-9);
      REQUIRE(1 + point.change <= point.high + 1e-9);
      before = point.index;
    }
    REQUIRE(segments_of(points, found).size() == found.size() + 1);
    REQUIRE(outliers_of(points, found).size() == points.size());
  }
  CHECK(changes > series_of(5000) / 10);
}

}  // namespace
}  // namespace kernelbatch
