// E-divisive means with a t-test as in Apache Otava (otava/analysis.py and
// otava/change_point_divisive of 2025; not a copy of them), for comparison: on its random series
// both find the same change points.
#pragma once

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace kernelbatch::test {

/// Otava's defaults.
struct PlainOptions {
  std::size_t window = 50;
  double p = 0.001;
};

class PlainEDivisive {
 public:
  PlainEDivisive(std::span<const double> values, const PlainOptions& options)
      : values_(values), options_(options) {}

  /// First runs of the new segments, ascending.
  std::vector<std::size_t> find() const {
    std::vector<std::size_t> weak;
    const double first_p = options_.p < 0.05 ? 10 * options_.p : std::min(1.0, 2 * options_.p);
    for (std::size_t start = 0; start < values_.size();) {
      const std::size_t end = std::min(start + options_.window, values_.size());
      const std::vector<std::size_t> found = split(start, end, first_p);
      weak.insert(weak.end(), found.begin(), found.end());
      start = std::max(start + options_.window / 2, found.empty() ? 0 : found.back());
    }
    std::ranges::sort(weak);
    weak.erase(std::unique(weak.begin(), weak.end()), weak.end());
    return merge(std::move(weak));
  }

 private:
  struct Candidate {
    std::size_t cut = 0;
    double measure = -std::numeric_limits<double>::infinity();
  };

  std::vector<std::size_t> split(std::size_t start, std::size_t end, double p) const {
    std::vector<std::size_t> cuts{start, end};
    for (;;) {
      Candidate best;
      for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
        const Candidate candidate = most_different(cuts[k], cuts[k + 1]);
        if (candidate.measure > best.measure) best = candidate;
      }
      const auto next = std::ranges::upper_bound(cuts, best.cut);
      if (std::isinf(best.measure) || !(t_test(*(next - 1), best.cut, *next) <= p)) break;
      cuts.insert(next, best.cut);
    }
    return {cuts.begin() + 1, cuts.end() - 1};
  }

  /// The cut with the largest measure Q among segments ending anywhere in [start, end).
  Candidate most_different(std::size_t start, std::size_t end) const {
    Candidate best;
    const std::size_t count = end - start;
    // Sums of the distances within [0, k) and, as `last` grows, within [k, last).
    std::vector<double> before(count + 1), after(count + 1);
    for (std::size_t k = 1; k < count; ++k) {
      before[k + 1] = before[k];
      for (std::size_t j = 0; j < k; ++j) before[k + 1] += distance(start + j, start + k);
    }
    for (std::size_t last = 2; last <= count; ++last) {
      double to_last = 0;
      for (std::size_t k = last - 1; k-- > 0;) {
        to_last += distance(start + k, start + last - 1);
        after[k] += to_last;
      }
      for (std::size_t cut = 1; cut < last; ++cut) {
        const auto n = static_cast<double>(cut), m = static_cast<double>(last - cut);
        const double across = before[last] - before[cut] - after[cut];
        const double within = (cut > 1 ? m / (n - 1) * before[cut] : 0) +
                              (last - cut > 1 ? n / (m - 1) * after[cut] : 0);
        const double measure = 2 / (n + m) * (across - within);
        if (measure > best.measure) best = {start + cut, measure};
      }
    }
    return best;
  }

  std::vector<std::size_t> merge(std::vector<std::size_t> cuts) const {
    std::vector<double> p(cuts.size());
    const auto update = [&](std::size_t k) {
      if (k < cuts.size())
        p[k] = t_test(k == 0 ? 0 : cuts[k - 1], cuts[k],
                      k + 1 == cuts.size() ? values_.size() : cuts[k + 1]);
    };
    for (std::size_t k = 0; k < cuts.size(); ++k) update(k);
    for (;;) {
      const auto weakest = std::ranges::max_element(p);
      if (weakest == p.end() || *weakest < options_.p) return cuts;
      const auto k = static_cast<std::size_t>(weakest - p.begin());
      p.erase(weakest);
      cuts.erase(cuts.begin() + static_cast<std::ptrdiff_t>(k));
      update(k);  // and not the one before it
      update(k + 1);
    }
  }

  double distance(std::size_t a, std::size_t b) const { return std::abs(values_[a] - values_[b]); }

  /// Student's, two-sided, with variances that divide by the number of runs.
  double t_test(std::size_t begin, std::size_t cut, std::size_t end) const {
    const auto [n, mean_n, variance_n] = moments(begin, cut);
    const auto [m, mean_m, variance_m] = moments(cut, end);
    const double freedom = n + m - 2;
    if (freedom <= 0) return 1;
    const double pooled = ((n - 1) * variance_n + (m - 1) * variance_m) / freedom;
    const double error = std::sqrt(pooled * (1 / n + 1 / m));
    if (error == 0) return mean_n == mean_m ? 1 : 0;
    const boost::math::students_t student(freedom);
    return 2 *
           boost::math::cdf(boost::math::complement(student, std::abs(mean_n - mean_m) / error));
  }

  struct Moments {
    double count, mean, variance;
  };

  Moments moments(std::size_t begin, std::size_t end) const {
    Moments result{static_cast<double>(end - begin), 0, 0};
    for (std::size_t k = begin; k < end; ++k) result.mean += values_[k] / result.count;
    for (std::size_t k = begin; k < end; ++k)
      result.variance += (values_[k] - result.mean) * (values_[k] - result.mean) / result.count;
    return result;
  }

  std::span<const double> values_;
  PlainOptions options_;
};

inline std::vector<std::size_t> plain_e_divisive(std::span<const double> values,
                                                 const PlainOptions& options = {}) {
  return PlainEDivisive(values, options).find();
}

}  // namespace kernelbatch::test
