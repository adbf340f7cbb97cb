// Change points of a series of benchmark medians: where a time changed and stayed so.
//
// The method is E-divisive means with a t-test (D. Matteson, N. James, "A nonparametric approach
// for multiple change point analysis of multivariate data", 2014; D. Daly et al., "The use of
// change point detection to identify software performance regressions in a continuous integration
// system", 2020; M. Fleming et al., "Hunter: using change point detection to hunt for performance
// regressions", 2023, now Apache Otava): a series is split where its two parts differ most, its
// parts are split in turn, and what the final neighbours do not confirm is taken back. It works on
// logarithms. With the exponent 2 the measure of E-divisive is the squared difference of the parts'
// means over its variance, which prefix sums give for every position in O(n). What differs:
//
// - Weights. A run's variance is τ² + s²: s from the interval of its median, τ what runs differ by
//   beside it, such that the weighted squares of the residuals are as many as their degrees of
//   freedom (R. Paule, J. Mandel, "Consensus values and weighting factors", 1982). A factor that
//   follows the squares of the neighbouring runs lets noisy weeks be noisy.
// - Spikes. A run that lies far from the median of every five neighbours that it is among counts as
//   if it lay at the limit: one or two in a row do, three do not. A segment has min_segment runs,
//   or more in a series with so many spikes that so many in a row are to be expected by chance.
// - Correlation. Neighbouring runs resemble each other. Their correlation φ is estimated from the
//   residuals, drawn towards 0.5 as if by 25 further runs, and the variance of a mean is that of an
//   autoregressive series.
// - A small segment that varies more than the noise counts with its own variance.
// - The level p holds for the whole series. The p-value of Student's t becomes one of the largest
//   of all positions (B. James, K. James, D. Siegmund, "Tests for a change-point", 1987). Most of
//   the level goes to whole segments, the rest to windows of all lengths (S. Kovács et al.,
//   "Seeded binary segmentation", 2023), in which changes do not hide each other.
//
// Noise is estimated twice around the change points found so far, at a weaker level; what those
// miss makes noise larger, never smaller. O(n log n) for few change points.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace kernelbatch {

/// One run of a series, in its order. A value that is no positive finite number is skipped.
struct SeriesPoint {
  double value = std::numeric_limits<double>::quiet_NaN();  ///< s, the median
  /// s, its 95 % interval. Not known if it does not hold the value or is no pair of positive finite
  /// numbers: then it is taken to be as wide, relative to the value, as the median one of the
  /// series.
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
};

struct ChangePoint {
  std::size_t index = 0;  ///< of the first run of the new segment
  /// s: weighted geometric means of the segments on either side.
  double before = 0, after = 0;
  double change = 0;         ///< after / before − 1
  double low = 0, high = 0;  ///< 95 % interval of after / before
  double p = 1;              ///< corrected for all that was searched
};

/// One spike, or two, is an outlier, no change.
inline constexpr std::size_t kLeastSegment = 3;

struct ChangePointOptions {
  /// Share of series of independent normal noise in which a change may be reported that is none.
  /// Spikes, correlation of 0.3 and noise that comes and goes multiply it by up to ten
  /// (tests/report/history/README.md): the default keeps them below 1 of 1,000 series of 100 runs.
  double p = 1e-4;
  std::size_t min_segment = kLeastSegment;  ///< runs, that many or more
  double min_change = 0.005;                ///< smallest relative change that counts
};

/// In ascending order. Empty for fewer than 2·min_segment runs.
std::vector<ChangePoint> find_change_points(std::span<const SeriesPoint> series,
                                            const ChangePointOptions& options = {});

/// What lies between two change points, or beside them.
struct Segment {
  std::size_t begin = 0, end = 0;                          ///< indices of its runs, end excluded
  double mean = std::numeric_limits<double>::quiet_NaN();  ///< s, weighted geometric
  double low = mean, high = mean;                          ///< s, 95 % interval of the mean
};

/// Covers all of the series, which must be that of the change points. A segment without any value
/// has no mean, and a single run in all no interval: NaN.
std::vector<Segment> segments_of(std::span<const SeriesPoint> series,
                                 std::span<const ChangePoint> change_points);

/// For each run whether its segment does not explain it: in one of 20 series of normal noise a run
/// is an outlier by chance. Values that are skipped are none.
std::vector<bool> outliers_of(std::span<const SeriesPoint> series,
                              std::span<const ChangePoint> change_points);

}  // namespace kernelbatch
