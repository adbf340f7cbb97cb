// change_points_benchmark [SERIES [SEED [PLAIN_P]]]: accuracy and speed of finding change points in
// made-up series of 100 runs, for find_change_points and plain E-divisive means. Only prints
// results. SERIES of each kind, noise level and pattern; PLAIN_P is the plain algorithm's largest
// p-value.
//
// A change is found, once, if a change point is within 5 runs of it; every other change point is
// false. Delay: runs after the first slower one until its change is found, at the size of the row's
// step, in a series that grows run by run from 60 to 100; 40 if it is never found. False alarms:
// series without a change, of 1,000, in which one is found; growing: at any length from 20 to 100.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>

#include "core/report/history/change_points.hpp"
#include "tests/report/history/made_up_series.hpp"
#include "tests/report/history/plain_e_divisive.hpp"

using namespace kernelbatch;
using namespace kernelbatch::test;

namespace {

constexpr std::size_t kRuns = 100, kMargin = 5, kGrowsFrom = 60;
constexpr std::array kLevels{0.003, 0.01, 0.02}, kSteps{0.01, 0.02, 0.05};

using Points = std::span<const SeriesPoint>;
using Found = std::vector<std::size_t>;

struct Method {
  std::string_view name;
  std::function<Found(Points)> find;
};

Found ours(Points points) {
  Found found;
  for (const ChangePoint& point : find_change_points(points)) found.push_back(point.index);
  return found;
}

Found plain(Points points, double p) {
  std::vector<double> values;
  for (const SeriesPoint& point : points) values.push_back(point.value);
  return plain_e_divisive(values, {.p = p});
}

bool is_near(std::size_t found, const MadeUpChange& change) {
  return found + kMargin >= change.first && found <= change.last + kMargin;
}

struct Score {
  std::size_t right = 0, wrong = 0, missed = 0;

  void add(const Found& found, const std::vector<MadeUpChange>& changes) {
    std::vector<bool> is_used(found.size());
    for (const MadeUpChange& change : changes) {
      bool is_found = false;
      for (std::size_t k = 0; k < found.size(); ++k) {
        if (is_used[k] || !is_near(found[k], change)) continue;
        // Several on a ramp are one.
        if (is_found && change.first == change.last) continue;
        is_used[k] = is_found = true;
      }
      ++(is_found ? right : missed);
    }
    wrong += static_cast<std::size_t>(std::ranges::count(is_used, false));
  }
  void add(const Score& other) {
    right += other.right;
    wrong += other.wrong;
    missed += other.missed;
  }
  static double share(std::size_t part, std::size_t rest) {
    return part == 0 ? 0 : static_cast<double>(part) / static_cast<double>(part + rest);
  }
  double precision() const { return share(right, wrong); }
  double recall() const { return share(right, missed); }
  double f1() const { return share(2 * right, wrong + missed); }
};

class Benchmark {
 public:
  Benchmark(std::size_t series, std::uint64_t seed) : series_(series), seed_(seed) {}

  Score score(const Method& method, NoiseKind kind, double step) const {
    Score score;
    for (const double level : kLevels) {
      Random random = random_of(kind);
      for (std::size_t k = 0; k < series_ * kPatterns.size(); ++k) {
        const Pattern pattern = kPatterns[k % kPatterns.size()];
        const auto series = made_up_series(kind, level, pattern, step, kRuns, random);
        score.add(method.find(series.points), series.changes);
      }
    }
    return score;
  }

  double delay(const Method& method, NoiseKind kind, double step) const {
    double runs = 0;
    const std::size_t count = std::max<std::size_t>(1, series_ / 4);
    for (const double level : kLevels) {
      Random random = random_of(kind);
      for (std::size_t k = 0; k < count; ++k) {
        auto series = made_up_series(kind, level, Pattern::kNone, 0, kRuns, random).points;
        for (std::size_t run = kGrowsFrom; run < kRuns; ++run)
          for (double* time : {&series[run].value, &series[run].low, &series[run].high})
            *time *= 1 + step;
        runs += static_cast<double>(delay(method, series));
      }
    }
    return runs / static_cast<double>(count * kLevels.size());
  }

  /// False alarms of 1,000 series.
  double false_alarms(const Method& method, NoiseKind kind, std::size_t from) const {
    Random random = random_of(kind);
    const std::size_t count = from == kRuns ? 100 * series_ : 3 * series_;
    std::size_t alarms = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const auto series = made_up_series(kind, kLevels.back(), Pattern::kNone, 0, kRuns, random);
      std::size_t runs = from;
      while (runs <= kRuns && method.find(Points(series.points).first(runs)).empty()) ++runs;
      alarms += runs <= kRuns ? 1 : 0;
    }
    return 1000 * static_cast<double>(alarms) / static_cast<double>(count);
  }

 private:
  Random random_of(NoiseKind kind) const {
    return Random(seed_ + static_cast<std::uint64_t>(kind));
  }

  static std::size_t delay(const Method& method, Points series) {
    for (std::size_t runs = kGrowsFrom + 1; runs <= kRuns; ++runs)
      for (const std::size_t found : method.find(series.first(runs)))
        if (is_near(found, {kGrowsFrom, kGrowsFrom})) return runs - kGrowsFrom - 1;
    return kRuns - kGrowsFrom;
  }

  std::size_t series_;
  std::uint64_t seed_;
};

void print_speed(std::uint64_t seed) {
  constexpr std::size_t kLong = 1000;
  for (const std::size_t changes : {0u, 10u}) {
    Random random(seed);
    std::vector<std::vector<SeriesPoint>> all;
    for (std::size_t k = 0; k < kLong; ++k) {
      all.push_back(made_up_noise(NoiseKind::kSpikes, 0.01, kLong, random));
      for (std::size_t run = 0; run < kLong; ++run)
        if (run * (changes + 1) / kLong % 2 == 1)
          for (double* time : {&all[k][run].value, &all[k][run].low, &all[k][run].high})
            *time *= 1.03;
    }
    std::size_t found = 0;
    const std::clock_t start = std::clock();
    for (const auto& series : all) found += ours(series).size();
    fmt::print("1,000 series of 1,000 runs with {} changes each: {:.2f} s of one core; {} found\n",
               changes, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, found);
  }
}

}  // namespace

int main(int count, char** arguments) {
  const std::size_t series = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 100;
  const std::uint64_t seed = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1;
  const double plain_p = count > 3 ? std::strtod(arguments[3], nullptr) : PlainOptions().p;
  const std::array methods{Method{"ours", ours},
                           Method{"plain", [&](Points points) { return plain(points, plain_p); }}};
  fmt::print("seed {}, {} series a pattern, plain's p {}\n", seed, series, plain_p);
  fmt::print("{:<11} {:>4} {:<6} {:>6} {:>9} {:>6} {:>6} {:>12} {:>8}\n", "noise", "step", "method",
             "F1", "precision", "recall", "delay", "false alarms", "growing");
  const Benchmark benchmark(series, seed);
  std::array<Score, methods.size()> totals;
  for (std::size_t k = 0; k < kNoiseKinds.size(); ++k) {
    std::array<std::string, methods.size()> alarms;
    for (std::size_t m = 0; m < methods.size(); ++m)
      alarms[m] =
          fmt::format("{:12.2f} {:8.1f}", benchmark.false_alarms(methods[m], kNoiseKinds[k], kRuns),
                      benchmark.false_alarms(methods[m], kNoiseKinds[k], 20));
    for (const double step : kSteps)
      for (std::size_t m = 0; m < methods.size(); ++m) {
        const Score score = benchmark.score(methods[m], kNoiseKinds[k], step);
        totals[m].add(score);
        fmt::print("{:<11} {:>2.0f} % {:<6} {:6.3f} {:9.3f} {:6.3f} {:6.1f} {}\n", kNoiseNames[k],
                   100 * step, methods[m].name, score.f1(), score.precision(), score.recall(),
                   benchmark.delay(methods[m], kNoiseKinds[k], step), alarms[m]);
        std::fflush(stdout);
      }
  }
  for (std::size_t m = 0; m < methods.size(); ++m)
    fmt::print("{:<11}      {:<6} {:6.3f} {:9.3f} {:6.3f}\n", "all", methods[m].name,
               totals[m].f1(), totals[m].precision(), totals[m].recall());
  print_speed(seed);
}
