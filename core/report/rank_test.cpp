#include "core/report/rank_test.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace kernelbatch {
namespace {

constexpr std::size_t kExactPairs = 2500;

struct Ranks {
  double sum_of_first = 0;  ///< of the first set's ranks, ties sharing their mean
  double ties = 0;          ///< sum of t³ − t over groups of t equal samples
  bool is_valid = true;
};

Ranks rank(std::span<const double> a, std::span<const double> b) {
  struct Entry {
    double value;
    bool is_first;
  };
  std::vector<Entry> all;
  for (const double value : a) all.push_back({value, true});
  for (const double value : b) all.push_back({value, false});
  Ranks ranks;
  ranks.is_valid = !a.empty() && !b.empty() &&
                   std::ranges::none_of(all, [](const Entry& e) { return std::isnan(e.value); });
  if (!ranks.is_valid) return ranks;
  std::ranges::sort(all, {}, &Entry::value);
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin;
    while (end < all.size() && all[end].value == all[begin].value) ++end;
    const double mean = static_cast<double>(begin + end + 1) / 2;
    for (std::size_t k = begin; k < end; ++k)
      if (all[k].is_first) ranks.sum_of_first += mean;
    const auto count = static_cast<double>(end - begin);
    ranks.ties += count * count * count - count;
    begin = end;
  }
  return ranks;
}

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

double u_of(const Ranks& ranks, std::size_t count) {
  const auto n = static_cast<double>(count);
  return ranks.sum_of_first - n * (n + 1) / 2;
}

}  // namespace

RankTest mann_whitney_normal(std::span<const double> a, std::span<const double> b) {
  const Ranks ranks = rank(a, b);
  if (!ranks.is_valid) return {kUnknown, kUnknown};
  const auto n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
  const double u = u_of(ranks, a.size());
  const double variance = n * m / 12 * (n + m + 1 - ranks.ties / ((n + m) * (n + m - 1)));
  if (!(variance > 0)) return {u, 1};
  const double distance = std::max(0.0, std::abs(u - n * m / 2) - 0.5);
  return {u, std::min(1.0, std::erfc(distance / std::sqrt(2 * variance)))};
}

RankTest mann_whitney_exact(std::span<const double> a, std::span<const double> b) {
  const Ranks ranks = rank(a, b);
  if (!ranks.is_valid) return {kUnknown, kUnknown};
  const std::size_t n = a.size(), m = b.size();
  // Share of all orders of n + m samples in which U is k. The largest sample is one of the n with
  // probability n / (n + m), and then larger than all m: f(n, m, k) from f(n − 1, m, k − m) and
  // f(n, m − 1, k).
  std::vector<std::vector<double>> row(m + 1);  // row n − 1, then n
  for (std::size_t j = 0; j <= m; ++j) row[j] = {1};
  for (std::size_t i = 1; i <= n; ++i) {
    std::vector<std::vector<double>> next(m + 1);
    next[0] = {1};
    for (std::size_t j = 1; j <= m; ++j) {
      const double share = static_cast<double>(i) / static_cast<double>(i + j);
      next[j].assign(i * j + 1, 0);
      for (std::size_t k = 0; k < row[j].size(); ++k) next[j][k + j] += share * row[j][k];
      for (std::size_t k = 0; k < next[j - 1].size(); ++k)
        next[j][k] += (1 - share) * next[j - 1][k];
    }
    row = std::move(next);
  }
  const double u = u_of(ranks, n);
  const auto extreme = static_cast<std::size_t>(std::max(u, static_cast<double>(n * m) - u));
  double p = 0;
  for (std::size_t k = extreme; k <= n * m; ++k) p += row[m][k];
  return {u, std::min(1.0, 2 * p)};
}

RankTest mann_whitney(std::span<const double> a, std::span<const double> b) {
  if (a.size() * b.size() <= kExactPairs && rank(a, b).ties == 0) return mann_whitney_exact(a, b);
  return mann_whitney_normal(a, b);
}

}  // namespace kernelbatch
