#include "core/report/verdict.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "core/base/process.hpp"
#include "core/base/statistics.hpp"
#include "core/measure/calibration.hpp"
#include "core/measure/statistics.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

RunTimes run(double median, double half_width, double step = 0) {
  RunTimes times;
  times.summary.median = median;
  times.summary.ci95_low = median - half_width;
  times.summary.ci95_high = median + half_width;
  times.summary.samples = 100;
  times.step = step;
  return times;
}

Judgement judge_pair(const RunTimes& a, const RunTimes& b, const JudgementOptions& options = {}) {
  return judge(std::span(&a, 1), std::span(&b, 1), options);
}

Verdict verdict(const RunTimes& a, const RunTimes& b, double gap = 0.005) {
  return judge_pair(a, b, {.gap = gap}).verdict;
}

TEST_CASE("Intervals apart are not enough: the gap must count, too") {
  const RunTimes a = run(1, 1e-5);
  CHECK(verdict(a, run(1.009, 1e-5)) == Verdict::kSame);
  CHECK(verdict(a, run(1.011, 1e-5)) == Verdict::kSlower);
  CHECK(verdict(a, run(1 / 1.011, 1e-5)) == Verdict::kFaster);
  CHECK(verdict(a, run(1.011, 1e-5), 0.02) == Verdict::kSame);
}

TEST_CASE("A gap is not enough: wide intervals make UNSURE") {
  const RunTimes a = run(1, 0.1);
  CHECK(verdict(a, run(1.05, 0.1)) == Verdict::kUnsure);
  CHECK(verdict(a, a) == Verdict::kUnsure);
  // At the edge: apart by nothing, or overlapping beyond the gap.
  CHECK(verdict(run(1, 0.004), run(1.008, 0.004)) == Verdict::kUnsure);
}

TEST_CASE("Fewer than six samples never decide") {
  RunTimes few = run(1, 0.001);
  few.summary.samples = 5;
  const Judgement judgement = judge_pair(few, run(2, 0.001));
  CHECK(judgement.verdict == Verdict::kUnsure);
  CHECK(judgement.note == "too few samples");
}

/// Judges two runs of several processes each, whose medians differ by `ratio`.
Judgement judge_processes(double ratio, double shared, int processes,
                          std::array<double, 2> clocks = {kMissing, kMissing}) {
  std::array<std::vector<RunTimes>, 2> sides;
  for (std::size_t side = 0; side < 2; ++side)
    for (int k = 0; k < processes; ++k) {
      RunTimes times = run(1.357e-3 * (1 + 1e-5 * k) * (side == 1 ? ratio : 1), 1e-8);
      times.usual = 0.001;
      times.shared = shared;
      times.clock = clocks[side];
      sides[side].push_back(times);
    }
  return judge(sides[0], sides[1], {.is_by_process = true});
}

TEST_CASE("Variation shared by processes of one run does not decrease with their number") {
  // Clocks of 1995 and 1980 MHz, as an H100 had them in two runs of the same kernel.
  constexpr double kClocks = 1995.0 / 1980;
  for (const int processes : {3, 5, 20}) {
    CAPTURE(processes);
    CHECK(judge_processes(kClocks, 0, processes).verdict == Verdict::kSlower);
    CHECK(judge_processes(kClocks, 0.003, processes).verdict == Verdict::kUnsure);
    CHECK(judge_processes(1.03, 0.003, processes).verdict == Verdict::kSlower);
  }
}

TEST_CASE("A difference of clocks is no difference of the work") {
  constexpr std::array<double, 2> kApart{1995e6, 1980e6}, kAlike{1980e6, 1980e6};
  constexpr double kClocks = 1995.0 / 1980;
  const Judgement apart = judge_processes(kClocks, 0.001, 3, kApart);
  CHECK(apart.verdict == Verdict::kUnsure);
  CHECK(apart.note == "clocks differ by 0.76 %, which may explain the difference");
  CHECK(judge_processes(1.009, 0.001, 3, kAlike).verdict == Verdict::kSlower);
  CHECK(judge_processes(1.02, 0.001, 3, kApart).verdict == Verdict::kSlower);
  // Work that needs more power has lower clocks, and is slower for it.
  CHECK(judge_processes(1.04, 0.001, 3, {1980e6, 1900e6}).verdict == Verdict::kSlower);
}

TEST_CASE("The timer's step widens intervals and the gap") {
  const double tick = 32e-9;
  CHECK(verdict(run(20e-6, 0, tick), run(20e-6 + tick, 0, tick)) != Verdict::kSlower);
  const Judgement same = judge_pair(run(1e-3, 0, 1e-5), run(1e-3, 0, 1e-5));
  CHECK(same.ratio_low < 1);
  CHECK(same.ratio_high > 1);
  CHECK(same.gap == Approx(0.02));
  // A step as long as the time itself gives no information.
  CHECK(std::isinf(judge_pair(run(1e-6, 0, 1e-6), run(1e-3, 0, 1e-6)).ratio_high));
}

TEST_CASE("One run per side does not decide differences that runs have anyway") {
  CHECK(verdict(run(5e-6, 0), run(5.4e-6, 0)) == Verdict::kUnsure);
  CHECK(verdict(run(5e-6, 0), run(6e-6, 0)) == Verdict::kSlower);
  CHECK(verdict(run(100e-6, 0), run(103e-6, 0)) == Verdict::kSlower);
  // Each launch of a work has its own way to the device.
  RunTimes several = run(12e-6, 0);
  several.launches = 3;
  CHECK(verdict(several, run(13.6e-6, 0)) == Verdict::kUnsure);
  CHECK(verdict(run(12e-6, 0), run(13.6e-6, 0)) == Verdict::kSlower);
  RunTimes noisy = run(100e-6, 0);
  noisy.noise_floor = 0.04;
  CHECK(judge_pair(run(100e-6, 0), noisy).gap == Approx(std::hypot(0.04, 0.0075)));
  noisy.launch_jitter = 10e-6;
  CHECK(judge_pair(noisy, run(100e-6, 0)).gap == Approx(std::hypot(0.04, 0.1)));
}

TEST_CASE("One run a side never decides about host times") {
  const JudgementOptions on_host{.is_host = true};
  CHECK(judge_pair(run(1, 0), run(1.05, 0), on_host).verdict == Verdict::kSame);
  CHECK(judge_pair(run(1, 0), run(1.06, 0), on_host).verdict == Verdict::kUnsure);
  CHECK(judge_pair(run(1, 0), run(1.06, 0), {.gap = 0.1, .is_host = true}).verdict ==
        Verdict::kSame);
  const Judgement unsure = judge_pair(run(1, 0), run(3, 0), on_host);
  CHECK(unsure.verdict == Verdict::kUnsure);
  CHECK(unsure.note == "host times need several runs per side");
  CHECK(judge_pair(run(1, 0), run(1.02, 0), {.is_host = true, .is_same_run = true}).verdict ==
        Verdict::kSlower);
  std::vector<RunTimes> a{run(1, 0), run(1.1, 0)}, b{run(3, 0), run(3.3, 0)};
  // Two runs per side are too few for one in a thousand.
  CHECK(judge(a, b, on_host).verdict == Verdict::kUnsure);
  CHECK_THAT(judge(a, b, on_host).note, Contains("by chance once in"));
  for (std::vector<RunTimes>* side : {&a, &b})
    for (RunTimes& each : *side) each.usual = 0.03;
  CHECK(judge(a, b, on_host).verdict == Verdict::kSlower);
}

TEST_CASE("Several runs a side show their own variation") {
  const std::vector<RunTimes> a{run(1, 0), run(1.002, 0), run(0.998, 0)};
  const std::vector<RunTimes> slower{run(1.008, 0), run(1.01, 0), run(1.012, 0)};
  // The interval excludes 1, but three such runs also occur by chance.
  CHECK(judge(a, slower).ratio_low > 1);
  CHECK(judge(a, slower).verdict == Verdict::kUnsure);
  const std::vector<RunTimes> much{run(1.038, 0), run(1.04, 0), run(1.042, 0)};
  CHECK(judge(a, much).verdict == Verdict::kSlower);
  CHECK(judge(much, a).verdict == Verdict::kFaster);
  CHECK(judge(a, slower, {.is_host = true}).gap == 0.005);
  const std::vector<RunTimes> wild{run(0.9, 0), run(1.01, 0), run(1.15, 0)};
  CHECK(judge(a, wild).verdict == Verdict::kUnsure);
  CHECK(judge(a, a).before == Approx(1).margin(1e-5));
}

TEST_CASE("Student's t gives the interval of several runs") {
  // scipy.stats.ttest_ind(log(b), log(a)).confidence_interval() of these medians.
  const std::vector<RunTimes> a{run(1, 0), run(1.02, 0)},
      b{run(1.1, 0), run(1.13, 0), run(1.12, 0)};
  const Judgement judgement = judge(a, b);
  CHECK(judgement.ratio == Approx(1.10560).epsilon(1e-3));
  CHECK(judgement.ratio_low == Approx(std::exp(0.060270)).epsilon(1e-4));
  CHECK(judgement.ratio_high == Approx(std::exp(0.140498)).epsilon(1e-4));
}

TEST_CASE("A busy machine's calibration prevents SAME") {
  RunTimes noisy = run(1, 1e-3);
  noisy.noise_floor = 5.75;
  const Judgement judgement = judge_pair(noisy, run(5.32, 1e-3));
  CHECK(judgement.verdict == Verdict::kUnsure);
  CHECK(judgement.note == "A's calibrated noise is 575 %, above 5 %");
  CHECK(judge_pair(noisy, noisy).verdict == Verdict::kUnsure);
  CHECK(judge_pair(run(1, 1e-3), noisy, {.is_same_run = true}).verdict == Verdict::kUnsure);
  // A clear difference remains.
  CHECK(judge_pair(noisy, run(8, 1e-3)).verdict == Verdict::kSlower);
  CHECK(judge_pair(run(8, 1e-3), noisy).verdict == Verdict::kFaster);
  noisy.noise_floor = 0.06;
  CHECK(judge_pair(noisy, noisy).note == "A's calibrated noise is 6 %, above 5 %");
  CHECK(judge_pair(noisy, noisy, {.gap = 0.07}).verdict == Verdict::kSame);
  // Runs that agree by chance do not override the calibration.
  const std::vector<RunTimes> runs{noisy, noisy, noisy};
  CHECK(judge(runs, runs).verdict == Verdict::kUnsure);
}

TEST_CASE("Unknown noise prevents SAME, but does not hide SLOWER") {
  for (const double noise : {kMissing, -1.0, std::numeric_limits<double>::infinity()}) {
    CAPTURE(noise);
    RunTimes unknown = run(1, 1e-3);
    unknown.noise_floor = noise;
    CHECK(judge_pair(run(1, 1e-3), unknown).verdict == Verdict::kUnsure);
    CHECK_FALSE(judge_pair(run(1, 1e-3), unknown).note.empty());
  }
  RunTimes unknown = run(1.1, 1e-3);
  unknown.noise_floor = kMissing;
  CHECK(judge_pair(run(1, 1e-3), unknown).verdict == Verdict::kSlower);
}

TEST_CASE("Invalid medians and intervals decide nothing") {
  const double inf = std::numeric_limits<double>::infinity();
  for (const double median : {kMissing, 0.0, -1.0, inf})
    for (const double half_width : {0.0, kMissing}) {
      CAPTURE(median, half_width);
      for (const Judgement& judgement : {judge_pair(run(median, half_width), run(1, 0.001)),
                                         judge_pair(run(1, 0.001), run(median, half_width)),
                                         judge_pair(run(median, 0), run(median, 0))}) {
        CHECK(judgement.verdict == Verdict::kUnsure);
        CHECK(std::isnan(judgement.ratio));
      }
    }
  CHECK(judge_pair(run(1, kMissing), run(1, 0)).verdict == Verdict::kUnsure);
  RunTimes outside = run(1, 0);
  outside.summary.ci95_low = 1.01;
  CHECK(judge_pair(outside, run(1, 0)).verdict == Verdict::kUnsure);
}

TEST_CASE("For any times, SAME is within its gap, and p agrees with the interval") {
  std::mt19937 random{16};
  std::uniform_real_distribution<double> share;
  const auto pick = [&](double low, double high) {
    return low * std::pow(high / low, share(random));
  };
  std::array<int, kVerdictCount> counts{};
  for (unsigned k = 0; k < 100'000; ++k) {
    std::vector<RunTimes> sides[2];
    for (auto& side : sides)
      for (std::size_t runs = share(random) < 0.5 ? 1u : 1u + k % 4u; side.size() < runs;) {
        const double median = pick(1e-6, 1.3e-6) * (k % 3 == 0 ? 1 : 1e3);
        RunTimes times = run(median, median * pick(1e-5, 1), share(random) < 0.5 ? 0 : 1e-9);
        if (share(random) < 0.1) times.summary.ci95_low = -median;
        times.noise_floor = share(random) < 0.05 ? kMissing : pick(1e-4, 10);
        times.launch_jitter = pick(1e-10, 1e-6);
        side.push_back(times);
      }
    const JudgementOptions options{.gap = share(random) < 0.5 ? 0.005 : kWidestGap * share(random),
                                   .is_host = share(random) < 0.3,
                                   .is_same_run = share(random) < 0.3};
    const Judgement judgement = judge(sides[0], sides[1], options);
    ++counts[static_cast<std::size_t>(judgement.verdict)];
    const double widest = std::max(kWidestSame, options.gap);
    if (judgement.verdict == Verdict::kSame) {
      REQUIRE(judgement.ratio_low >= 1 / (1 + widest));
      REQUIRE(judgement.ratio_high <= 1 + widest);
      for (const auto& side : sides)
        for (const RunTimes& times : side) REQUIRE(times.noise_floor <= widest);
    }
    if (judgement.verdict == Verdict::kSlower) REQUIRE(judgement.ratio_low > 1);
    if (judgement.verdict == Verdict::kFaster) REQUIRE(judgement.ratio_high < 1);
    if (std::isnan(judgement.ratio)) continue;
    const bool is_apart = judgement.ratio_low > 1 || judgement.ratio_high < 1;
    CAPTURE(judgement.ratio, judgement.ratio_low, judgement.ratio_high, judgement.p);
    REQUIRE((judgement.p < 0.05) == is_apart);
  }
  for (const Verdict verdict :
       {Verdict::kFaster, Verdict::kSlower, Verdict::kSame, Verdict::kUnsure})
    CHECK(counts[static_cast<std::size_t>(verdict)] > 1000);
}

TEST_CASE("Student's p-value is scipy's") {
  // 2 * scipy.stats.t.sf(t, freedom)
  CHECK(student_p(0, 3) == 1);
  CHECK(student_p(12.7062, 1) == Approx(0.05).epsilon(1e-4));
  CHECK(student_p(-4.30265, 2) == Approx(0.05).epsilon(1e-4));
  CHECK(student_p(2.0, 3) == Approx(0.139326).epsilon(1e-4));
  CHECK(student_p(2.22814, 10) == Approx(0.05).epsilon(1e-4));
  CHECK(student_p(2.02269, 39) == Approx(0.05).epsilon(1e-4));
}

TEST_CASE("The timer's step is the smallest distance between different times") {
  CHECK(timer_step({}) == 0);
  CHECK(timer_step({1, 1, 1}) == 0);
  CHECK(timer_step({5, 1, 3, 3, 1}) == 2);
}

/// Times of an event timer, from processes that differ.
class Simulation {
 public:
  explicit Simulation(double between) : between_(between) {}

  RunTimes run(double time) {
    const double shifted = time * (1 + between_ * normal_(random_)) + kJitter * normal_(random_);
    RunTimes result;
    std::vector<double> samples;
    for (int k = 0; k < 60; ++k) {
      const double sample = shifted + std::hypot(20e-9, 1e-3 * time) * normal_(random_);
      samples.push_back(kTick * std::round(sample / kTick));
    }
    result.summary = summarise(samples);
    result.step = timer_step(samples);
    std::vector<double> blocks;
    for (int k = 0; k < 5; ++k) blocks.push_back(1 + 1e-3 * normal_(random_));
    result.noise_floor = expected_difference(blocks);
    result.usual = std::hypot(0.001, 0.1e-6 / time);  // a GPU's
    return result;
  }

  std::vector<RunTimes> runs(double time, int count) {
    std::vector<RunTimes> result;
    for (int k = 0; k < count; ++k) result.push_back(run(time));
    return result;
  }

  /// Share of comparisons of `time` with `ratio` times it that end with `verdict`.
  double share(Verdict verdict, double time, double ratio, int runs_a_side) {
    constexpr int kPairs = 1000;
    int found = 0;
    for (int k = 0; k < kPairs; ++k) {
      const auto a = runs(time, runs_a_side), b = runs(time * ratio, runs_a_side);
      found += judge(a, b).verdict == verdict ? 1 : 0;
    }
    return static_cast<double>(found) / kPairs;
  }

  double wrong(double time, int runs_a_side) {
    return share(Verdict::kFaster, time, 1, runs_a_side) +
           share(Verdict::kSlower, time, 1, runs_a_side);
  }

 private:
  static constexpr double kTick = 32e-9, kJitter = 0.15e-6;
  std::mt19937 random_{20};
  std::normal_distribution<double> normal_;
  double between_;
};

/// All, or the first if another preset of the same sources runs all.
std::vector<double> some_of(std::vector<double> times) {
  if (environment("KERNELBATCH_TEST_QUICK")) times.resize(1);
  return times;
}

TEST_CASE("At most one in twenty verdicts on unchanged runs is wrong") {
  for (const double time : some_of({5e-6, 8e-6, 20e-6, 50e-6, 100e-6, 1e-3})) {
    CAPTURE(time);
    CHECK(Simulation(0.003).wrong(time, 1) <= 0.05);
    CHECK(Simulation(0.003).wrong(time, 2) <= 0.05);
    CHECK(Simulation(0.003).wrong(time, 3) <= 0.05);
    // Several runs show variation that one run per side cannot. Far above the gap only the
    // interval's 5 % remain; the rest is the simulation's own error, three times √(0.05·0.95/1000).
    CHECK(Simulation(0.02).wrong(time, 3) <= 0.05 + 0.02);
  }
}

TEST_CASE("A kernel of 100 µs and more that is 3 % slower is found in nine of ten cases") {
  for (const double time : some_of({100e-6, 300e-6, 1e-3, 0.1})) {
    CAPTURE(time);
    CHECK(Simulation(0.003).share(Verdict::kSlower, time, 1.03, 1) >= 0.9);
    CHECK(Simulation(0.003).share(Verdict::kSlower, time, 1.03, 3) >= 0.9);
    CHECK(Simulation(0.003).share(Verdict::kFaster, time, 1 / 1.03, 1) >= 0.9);
  }
}

}  // namespace
}  // namespace kernelbatch
