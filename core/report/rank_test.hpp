// The Mann–Whitney U test: do two sets of samples come from one distribution?
#pragma once

#include <span>

namespace kernelbatch {

struct RankTest {
  double u = 0;  ///< of the first set: pairs in which it is the larger, ties counting half
  double p = 1;  ///< two-sided: probability of a U at least as extreme were there no difference
};

/// Exact where no two samples are equal and there are few pairs of them (at most 2,500), else the
/// normal approximation with corrections for ties and continuity (M. Hollander, D. Wolfe,
/// "Nonparametric statistical methods", section 4.1). p is NaN where a set is empty or holds a NaN.
RankTest mann_whitney(std::span<const double> a, std::span<const double> b);

/// The two ways apart.
RankTest mann_whitney_exact(std::span<const double> a, std::span<const double> b);
RankTest mann_whitney_normal(std::span<const double> a, std::span<const double> b);

}  // namespace kernelbatch
