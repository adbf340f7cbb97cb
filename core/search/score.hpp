// Score of a search relative to random search without replacement.
//
// The score of the Auto-Tuning community (F.-J. Willemsen et al., "A methodology for comparing
// optimization algorithms for auto-tuning", 2024): at time t, P_t = (S_t - F_t) / (S_t - S_opt),
// where S_t is the expected best of random search, F_t the mean best of the search, S_opt the
// overall least time. Times are equidistant up to the one at which random search has come 95 % of
// the way from the median to the optimum. P is the mean: 0 is random search, 1 is finding the
// optimum immediately.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/search/recorded_space.hpp"
#include "core/search/strategy.hpp"

namespace kernelbatch {

/// One step of a search.
struct SearchStep {
  double spent = 0;  ///< s, at its end
  double best = 0;   ///< s, the best time so far; NaN if there is none
};

/// Expected results of random search without replacement on a space's times.
class RandomBaseline {
 public:
  explicit RandomBaseline(const std::vector<RecordedTry>& tries);

  /// Expected best time after this number of tries, s.
  double expected(double tries) const;
  double best() const noexcept { return best_; }
  double median() const noexcept { return median_; }
  double mean_cost() const noexcept { return mean_cost_; }  ///< s a try
  /// Number of tries after which it has come 95 % of the way from the median to the best.
  std::size_t cutoff() const noexcept { return cutoff_; }

 private:
  double expected_of(std::size_t tries) const;

  std::vector<double> sorted_;  ///< times of successful tries
  std::vector<double> log_factorial_;
  std::size_t size_ = 0, cutoff_ = 0;
  double best_ = 0, median_ = 0, mean_cost_ = 0;
};

struct ReplayOptions {
  SearchStrategy strategy = SearchStrategy::kAuto;
  int repeats = 100;
  std::uint64_t seed = 1;
  /// Creates another strategy instead of `strategy`; it must take the seed.
  std::function<std::unique_ptr<Strategy>(const SearchSpace& space, std::uint64_t seed)> make = {};
};

struct ReplayScore {
  double score = 0;  ///< P
  /// At the equidistant times: the terms of the mean P, and the number of tries so far (mean over
  /// repeats).
  struct Point {
    double time = 0, baseline = 0, found = 0, score = 0, tries = 0;
  };
  std::vector<Point> curve;
  /// Number of tries of each repeat to come within 5 % of the best, sorted; repeats that did not
  /// before the cutoff count as the whole space.
  std::vector<std::size_t> tries_to_five_percent;
  double overhead = 0;  ///< s, mean time of the strategy per try
  double cutoff = 0;    ///< s
};

/// Runs the strategy `repeats` times with different seeds up to the cutoff of `baseline`, which
/// must be that of the space.
ReplayScore replay(const RecordedSpace& space, const RandomBaseline& baseline,
                   const ReplayOptions& options);

}  // namespace kernelbatch
