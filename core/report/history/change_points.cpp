#include "core/report/history/change_points.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/report/history/series_noise.hpp"

namespace kernelbatch {
namespace history {
namespace {

constexpr double kWeakLevel = 0.02;               // the noise is estimated around its cuts
constexpr double kWholeShare = 0.8;               // for whole segments; the rest is for windows
constexpr double kShorter = std::numbers::sqrt2;  // ratio of successive window lengths
constexpr int kNoisePasses = 2;
constexpr double kOutlierLevel = 0.05;  // of a series

using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
using Normal = boost::math::normal_distribution<double, Policy>;
using Student = boost::math::students_t_distribution<double, Policy>;

/// Half-width of a two-sided interval around a mean, in standard errors.
double half_width(double level, double freedom) {
  return boost::math::quantile(boost::math::complement(Student(freedom), level / 2));
}

struct Split {
  std::size_t begin = 0, cut = 0, end = 0;
  double p = 1;  // corrected
};

/// Finds the cuts of a series, given its noise.
class SplitSearch {
 public:
  SplitSearch(const WeightedRuns& runs, const ChangePointOptions& options)
      : runs_(runs),
        options_(options),
        weak_(std::max(kWeakLevel, options.p)),
        shortest_(std::max(kLeastSegment, options.min_segment)) {
    // A run of this many spikes, at any position, must be rarer than the permitted false alarms.
    const auto count = static_cast<double>(runs.size());
    while (2 * shortest_ <= runs.size() &&
           count * std::pow(runs.spike_share(), static_cast<double>(shortest_)) > options.p)
      ++shortest_;
    search_windows();
  }

  /// Cuts at the level used for estimating noise.
  Cuts weak_cuts() const { return cuts(weak_); }

  Cuts strong_cuts() const { return cuts(options_.p); }

  /// Moves each cut to the best position between its neighbours and removes cuts that are no longer
  /// significant, weakest first. Returns the p-values of the remaining cuts.
  std::vector<double> confirm(Cuts& cuts) const {
    for (;;) {
      std::vector<double> p(cuts.size());
      for (std::size_t k = 0; k < cuts.size(); ++k) {
        const Split split =
            whole(k == 0 ? 0 : cuts[k - 1], k + 1 == cuts.size() ? runs_.size() : cuts[k + 1]);
        p[k] = split.p;
        if (split.p < 1) cuts[k] = split.cut;
      }
      const auto weakest = std::ranges::max_element(p);
      if (weakest == p.end() || *weakest < options_.p) return p;
      cuts.erase(cuts.begin() + (weakest - p.begin()));
    }
  }

 private:
  Cuts cuts(double level) const {
    Cuts found;
    std::vector<std::pair<std::size_t, std::size_t>> open{{0, runs_.size()}};
    while (!open.empty()) {
      const std::size_t begin = open.back().first, end = open.back().second;
      open.pop_back();
      Split best = whole(begin, end);
      const auto within = std::ranges::find_if(windows_, [&](const Split& window) {
        return window.begin >= begin && window.end <= end;
      });
      if (within != windows_.end() && within->p < best.p) best = *within;
      if (best.p >= level) continue;
      found.push_back(best.cut);
      open.emplace_back(begin, best.cut);
      open.emplace_back(best.cut, end);
    }
    std::ranges::sort(found);
    return found;
  }

  Split whole(std::size_t begin, std::size_t end) const {
    const double part = static_cast<double>(end - begin) / static_cast<double>(runs_.size());
    return best_split(begin, end, kWholeShare * part, 1);
  }

  /// Best split, tested at the given share of the level. Its p is 1 if it is at least `most`.
  Split best_split(std::size_t begin, std::size_t end, double share, double most) const {
    Split best{.begin = begin, .cut = begin, .end = end};
    double largest = 0;
    for (std::size_t cut = begin + shortest_; cut + shortest_ <= end; ++cut) {
      const double t_squared = runs_.difference(begin, cut, end).t_squared();
      if (t_squared <= largest) continue;
      largest = t_squared;
      best.cut = cut;
    }
    if (largest == 0) return best;
    const double distance = std::abs(runs_.difference(begin, best.cut, end).of_means);
    if (std::expm1(distance) < options_.min_change) return best;
    // Student's t has wider tails, so a split that fails the normal test fails this one too.
    if (std::erfc(std::sqrt(largest / 2)) >= most * share) return best;
    best.p = std::min(1.0, p_of_largest(std::sqrt(largest), end - begin) / share);
    return best;
  }

  /// p-value of the largest |t| over all cuts of `count` runs, through the normal deviation z of
  /// equal probability: the statistic exceeds z from the start, or crosses it from below between
  /// two cuts (James, James, Siegmund).
  double p_of_largest(double t, std::size_t count) const {
    const double tail = boost::math::cdf(boost::math::complement(Student(runs_.freedom()), t));
    if (tail < std::numeric_limits<double>::min()) return 0;
    const double z = boost::math::quantile(boost::math::complement(Normal(), tail));
    double passes = 0;
    for (std::size_t cut = shortest_; cut + shortest_ <= count; ++cut) {
      const double runs =
          static_cast<double>(cut) * static_cast<double>(count - cut) / static_cast<double>(count);
      passes += std::exp(-0.583 * z / std::sqrt(runs)) / runs;
    }
    return 2 * tail * (1 + z * z / 2 * passes);
  }

  /// Searches windows of each length, at steps of half of it.
  void search_windows() {
    std::vector<std::size_t> lengths;
    const auto shortest = 2 * static_cast<double>(shortest_);
    for (double length = static_cast<double>(runs_.size()) / kShorter; length >= shortest;
         length /= kShorter)
      lengths.push_back(static_cast<std::size_t>(std::ceil(length)));
    for (const std::size_t length : lengths) {
      const std::size_t last = runs_.size() - length, steps = (2 * last + length - 1) / length;
      const double share = (1 - kWholeShare) / static_cast<double>(lengths.size() * (steps + 1));
      for (std::size_t step = 0; step <= steps; ++step) {
        const std::size_t begin = last * step / steps;
        const Split split = best_split(begin, begin + length, share, weak_);
        if (split.p < 1) windows_.push_back(split);
      }
    }
    std::ranges::sort(windows_, {}, &Split::p);
  }

  const WeightedRuns& runs_;
  const ChangePointOptions& options_;
  double weak_;
  std::size_t shortest_;
  std::vector<Split> windows_;  // by their p
};

/// A series with the noise around its change points.
struct Explained {
  Runs runs;
  Noise noise;
  Cuts cuts;
};

Explained explain_series(std::span<const SeriesPoint> series, std::span<const ChangePoint> points) {
  Explained result{.runs = usable_runs(series), .noise = {}, .cuts = {}};
  const auto& index = result.runs.index;
  for (const ChangePoint& point : points)
    result.cuts.push_back(
        static_cast<std::size_t>(std::ranges::lower_bound(index, point.index) - index.begin()));
  if (index.size() < 2) {
    result.noise.factor.assign(index.size(), 1);
    return result;
  }
  result.noise = first_noise(result.runs);
  for (int pass = 0; pass < kNoisePasses; ++pass)
    result.noise = noise_around(result.runs, WeightedRuns(result.runs, result.noise), result.cuts);
  return result;
}

}  // namespace
}  // namespace history

std::vector<ChangePoint> find_change_points(std::span<const SeriesPoint> series,
                                            const ChangePointOptions& options) {
  const history::Runs runs = history::usable_runs(series);
  if (runs.size() < 2 * std::max(kLeastSegment, options.min_segment)) return {};
  history::Noise noise = history::first_noise(runs);
  for (int pass = 0; pass < history::kNoisePasses; ++pass) {
    const history::WeightedRuns weighted(runs, noise);
    noise =
        history::noise_around(runs, weighted, history::SplitSearch(weighted, options).weak_cuts());
  }
  const history::WeightedRuns weighted(runs, noise);
  const history::SplitSearch search(weighted, options);
  history::Cuts cuts = search.strong_cuts();
  const std::vector<double> p = search.confirm(cuts);
  const auto parts = history::parts_of(cuts, runs.size());
  std::vector<ChangePoint> found;
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    const std::size_t begin = parts[k].first, end = parts[k + 1].second;
    const history::Difference difference = weighted.difference(begin, cuts[k], end);
    const double half =
        history::half_width(0.05, weighted.freedom()) * std::sqrt(difference.variance);
    found.push_back({.index = runs.index[cuts[k]],
                     .before = std::exp(runs.centre + weighted.part(begin, cuts[k]).mean),
                     .after = std::exp(runs.centre + weighted.part(cuts[k], end).mean),
                     .change = std::expm1(difference.of_means),
                     .low = std::exp(difference.of_means - half),
                     .high = std::exp(difference.of_means + half),
                     .p = p[k]});
  }
  return found;
}

std::vector<Segment> segments_of(std::span<const SeriesPoint> series,
                                 std::span<const ChangePoint> change_points) {
  const auto [runs, noise, cuts] = history::explain_series(series, change_points);
  std::vector<Segment> segments;
  history::Cuts ends;
  for (const ChangePoint& point : change_points) ends.push_back(point.index);
  for (const auto& [begin, end] : history::parts_of(ends, series.size()))
    segments.push_back({.begin = begin, .end = end});
  if (runs.size() == 0) return segments;
  const history::WeightedRuns weighted(runs, noise);
  const auto parts = history::parts_of(cuts, runs.size());
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (parts[k].first == parts[k].second) continue;
    const history::Part part = weighted.part(parts[k].first, parts[k].second);
    const double half =
        history::half_width(0.05, weighted.freedom()) * std::sqrt(weighted.variance(part));
    segments[k].mean = std::exp(runs.centre + part.mean);
    if (runs.size() < 2) continue;  // the variation of runs is unknown
    segments[k].low = std::exp(runs.centre + part.mean - half);
    segments[k].high = std::exp(runs.centre + part.mean + half);
  }
  return segments;
}

std::vector<bool> outliers_of(std::span<const SeriesPoint> series,
                              std::span<const ChangePoint> change_points) {
  const auto [runs, noise, cuts] = history::explain_series(series, change_points);
  std::vector<bool> outliers(series.size());
  if (runs.size() < 2) return outliers;
  const history::WeightedRuns weighted(runs, noise);
  const double widths = history::half_width(
      history::kOutlierLevel / static_cast<double>(runs.size()), weighted.freedom());
  for (const auto& [begin, end] : history::parts_of(cuts, runs.size())) {
    if (begin == end) continue;
    const double mean = weighted.part(begin, end).mean;
    for (std::size_t k = begin; k < end; ++k)
      outliers[runs.index[k]] =
          std::abs(runs.log[k] - mean) > widths * std::sqrt(noise.variance(runs, k));
  }
  return outliers;
}

}  // namespace kernelbatch
