#include "core/base/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace kernelbatch {
namespace {

// NaN gives NaN, and nothing throws.
using Policy = boost::math::policies::policy<
    boost::math::policies::promote_double<false>,
    boost::math::policies::domain_error<boost::math::policies::ignore_error>,
    boost::math::policies::overflow_error<boost::math::policies::ignore_error>>;
using Student = boost::math::students_t_distribution<double, Policy>;

}  // namespace

double quantile(std::span<const double> sorted, double share) {
  const double rank = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const double part = rank - static_cast<double>(below);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + part * (sorted[above] - sorted[below]);
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  return quantile(values, 0.5);
}

double student_p(double t, std::size_t freedom) {
  const Student student(static_cast<double>(freedom));
  return 2 * boost::math::cdf(boost::math::complement(student, std::abs(t)));
}

double student_half_width(std::size_t freedom) {
  const Student student(static_cast<double>(freedom));
  return boost::math::quantile(boost::math::complement(student, 0.025));
}

}  // namespace kernelbatch
