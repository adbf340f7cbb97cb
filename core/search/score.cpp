#include "core/search/score.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/clock.hpp"
#include "core/base/statistics.hpp"

namespace kernelbatch {
namespace {

constexpr std::size_t kPoints = 50;
constexpr double kShareOfWay = 0.95, kNearBest = 1.05;

}  // namespace

RandomBaseline::RandomBaseline(const std::vector<RecordedTry>& tries) : size_(tries.size()) {
  for (const RecordedTry& each : tries) {
    if (!std::isnan(each.time)) sorted_.push_back(each.time);
    mean_cost_ += each.cost / static_cast<double>(size_);
  }
  std::ranges::sort(sorted_);
  best_ = sorted_.front();
  median_ = quantile(sorted_, 0.5);
  log_factorial_.resize(size_ + 1);
  for (std::size_t k = 1; k <= size_; ++k)
    log_factorial_[k] = log_factorial_[k - 1] + std::log(static_cast<double>(k));
  const double wanted = median_ - kShareOfWay * (median_ - best_);
  std::size_t low = 1, high = size_;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (expected_of(middle) <= wanted)
      high = middle;
    else
      low = middle + 1;
  }
  cutoff_ = low;
}

/// Expected best of n tries without replacement: the time of rank i is the least with probability
/// C(all - i, n - 1) / C(all, n). Failures rank last.
double RandomBaseline::expected_of(std::size_t tries) const {
  const auto log_choose = [this](std::size_t n, std::size_t k) {
    return log_factorial_[n] - log_factorial_[k] - log_factorial_[n - k];
  };
  tries = std::min(tries, size_);
  const double all = log_choose(size_, tries);
  double expected = 0, weight = 0;
  for (std::size_t rank = 1; rank <= sorted_.size() && size_ - rank + 1 >= tries; ++rank) {
    const double probability = std::exp(log_choose(size_ - rank, tries - 1) - all);
    expected += probability * sorted_[rank - 1];
    weight += probability;
  }
  return expected / weight;
}

double RandomBaseline::expected(double tries) const {
  const double whole = std::clamp(std::floor(tries), 1.0, static_cast<double>(size_));
  const double low = expected_of(static_cast<std::size_t>(whole));
  const double part = std::clamp(tries - whole, 0.0, 1.0);
  return part == 0 ? low : low + part * (expected_of(static_cast<std::size_t>(whole) + 1) - low);
}

namespace {

/// One search that is replayed on a recorded space.
class Replay {
 public:
  Replay(const RecordedSpace& recorded, const RandomBaseline& baseline, Strategy& strategy)
      : recorded_(recorded),
        baseline_(baseline),
        strategy_(strategy),
        best_(baseline.expected(1)),
        near_(recorded.size()) {}

  /// Adds the state at each time of the curve, with the weight of one of `repeats`.
  void run(ReplayScore& result, int repeats) {
    std::size_t next = 0;
    while (next < kPoints) {
      double cost = INFINITY;
      const double time = try_next(cost);
      // State before the end of this try.
      for (spent_ += cost; next < kPoints && result.curve[next].time < spent_; ++next) {
        result.curve[next].found += best_ / repeats;
        result.curve[next].tries += static_cast<double>(tries_) / repeats;
      }
      if (!std::isnan(time) && (!has_best_ || time < best_)) {
        best_ = time;
        has_best_ = true;
      }
      if (has_best_ && best_ <= kNearBest * baseline_.best() && spent_ <= result.cutoff)
        near_ = std::min(near_, tries_);
    }
    result.tries_to_five_percent.push_back(near_);
  }
  std::size_t tries() const noexcept { return tries_; }
  double overhead() const noexcept { return overhead_; }

 private:
  /// Time of the strategy's next configuration; NaN if it failed or there is none.
  double try_next(double& cost) {
    const auto begin = MeasuringClock::now();
    const auto configuration = strategy_.ask();
    double own = seconds_since(begin);
    if (!configuration) return NAN;
    const RecordedTry& tried = recorded_.at(*configuration);
    const auto told = MeasuringClock::now();
    strategy_.tell(*configuration, tried.time);
    own += seconds_since(told);
    cost = tried.cost + own;
    overhead_ += own;
    ++tries_;
    return tried.time;
  }

  const RecordedSpace& recorded_;
  const RandomBaseline& baseline_;
  Strategy& strategy_;
  double spent_ = 0, best_, overhead_ = 0;
  std::size_t tries_ = 0, near_;
  bool has_best_ = false;
};

}  // namespace

ReplayScore replay(const RecordedSpace& recorded, const RandomBaseline& baseline,
                   const ReplayOptions& options) {
  const SearchSpace space = recorded.space();
  ReplayScore result;
  result.cutoff = static_cast<double>(baseline.cutoff()) * baseline.mean_cost();
  result.curve.resize(kPoints);
  for (std::size_t k = 0; k < kPoints; ++k) {
    auto& point = result.curve[k];
    point.time = result.cutoff * static_cast<double>(k + 1) / kPoints;
    point.baseline = baseline.expected(point.time / baseline.mean_cost());
  }
  double overhead = 0;
  std::size_t all_tries = 0;
  for (int repeat = 0; repeat < options.repeats; ++repeat) {
    const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(repeat);
    const auto strategy =
        options.make ? options.make(space, seed) : make_strategy(options.strategy, space, seed);
    Replay one(recorded, baseline, *strategy);
    one.run(result, options.repeats);
    all_tries += one.tries();
    overhead += one.overhead();
  }
  std::ranges::sort(result.tries_to_five_percent);
  for (auto& point : result.curve) {
    point.score = (point.baseline - point.found) / (point.baseline - baseline.best());
    result.score += point.score / kPoints;
  }
  result.overhead = overhead / static_cast<double>(std::max<std::size_t>(all_tries, 1));
  return result;
}

}  // namespace kernelbatch
