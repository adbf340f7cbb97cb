#include "core/base/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kernelbatch {

double quantile(std::span<const double> sorted, double share) {
  const double rank = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const double part = rank - static_cast<double>(below);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + part * (sorted[above] - sorted[below]);
}

double student_p(double t, std::size_t freedom) {
  // The finite series of whole degrees of freedom: M. Abramowitz, I. Stegun, 26.7.3 and 26.7.4.
  // Far out it cancels: what it says below 1e-12 is rounding.
  const auto n = static_cast<double>(freedom);
  const double angle = std::atan(std::abs(t) / std::sqrt(n));
  const double cosine = std::cos(angle), square = cosine * cosine;
  double term = freedom % 2 == 0 ? 1 : cosine, sum = freedom == 1 ? 0 : term;
  for (std::size_t k = freedom % 2 == 0 ? 2 : 3; k + 1 < freedom; k += 2) {
    term *= square * static_cast<double>(k - 1) / static_cast<double>(k);
    sum += term;
  }
  const double inside = freedom % 2 == 0 ? std::sin(angle) * sum
                                         : 2 / std::numbers::pi * (angle + std::sin(angle) * sum);
  return std::clamp(1 - inside, 0.0, 1.0);
}

double student_half_width(std::size_t freedom) {
  double low = 0, high = 16;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (student_p(middle, freedom) > 0.05 ? low : high) = middle;
  }
  return high;
}

}  // namespace kernelbatch
