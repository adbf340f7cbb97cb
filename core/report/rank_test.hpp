// The Mann–Whitney U test: do two sets of samples come from one distribution?
#pragma once

#include <span>

namespace kernelbatch {

struct RankTest {
  double u = 0;  ///< of the first set: number of pairs in which it is larger; ties count half
  double p = 1;  ///< two-sided: probability of a U at least as extreme if there is no difference
};

/// Exact if no two samples are equal and there are at most 2,500 pairs; else the normal
/// approximation with corrections for ties and continuity (M. Hollander, D. Wolfe, "Nonparametric
/// statistical methods", section 4.1). p is NaN if a set is empty or contains a NaN.
RankTest mann_whitney(std::span<const double> a, std::span<const double> b);

/// The two methods separately.
RankTest mann_whitney_exact(std::span<const double> a, std::span<const double> b);
RankTest mann_whitney_normal(std::span<const double> a, std::span<const double> b);

}  // namespace kernelbatch
