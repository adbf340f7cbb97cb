// Change points of a series of benchmark medians: positions where the time changed and stayed
// changed.
//
// The method is E-divisive means with a t-test (D. Matteson, N. James, "A nonparametric approach
// for multiple change point analysis of multivariate data", 2014; D. Daly et al., "The use of
// change point detection to identify software performance regressions in a continuous integration
// system", 2020; M. Fleming et al., "Hunter: using change point detection to hunt for performance
// regressions", 2023, now Apache Otava). A series is split where its two parts differ most, the
// parts are split recursively, and cuts that the final segments do not confirm are removed. All
// values are logarithms. With the exponent 2, the measure of E-divisive is the squared difference
// of the parts' means over its variance, which prefix sums give for every position in O(n).
// Differences from that method:
//
// - Weights. A run's variance is τ² + s²: s from the interval of its median, τ from other
//   differences between runs, such that the weighted squares of the residuals equal their degrees
//   of freedom (R. Paule, J. Mandel, "Consensus values and weighting factors", 1982). A factor that
//   follows the squares of the neighbouring runs adapts to periods of higher noise.
// - Spikes. A run that is far from the median of every window of five neighbours that contains it
//   is moved to the limit. This affects one or two spikes in a row, not three. A segment has
//   min_segment runs, or more if the number of spikes in the series makes longer rows likely by
//   chance.
// - Correlation. Neighbouring runs are correlated. The correlation φ is estimated from the
//   residuals, shrunk towards 0.5 with the weight of 25 runs, and the variance of a mean is that of
//   an autoregressive series.
// - A small segment that varies more than the noise uses its own variance.
// - The level p holds for the whole series. The p-value of Student's t is converted to that of the
//   largest over all positions (B. James, K. James, D. Siegmund, "Tests for a change-point", 1987).
//   Most of the level is spent on whole segments, the rest on windows of all lengths (S. Kovács et
//   al., "Seeded binary segmentation", 2023), in which changes do not hide each other.
//
// Noise is estimated twice around the change points found so far, at a weaker level. Missed change
// points can only increase the noise estimate. O(n log n) for few change points.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace kernelbatch {

/// One run of a series, in order. A value that is not positive and finite is skipped.
struct SeriesPoint {
  double value = std::numeric_limits<double>::quiet_NaN();  ///< s, the median
  /// s, the 95 % interval of the value. Unknown if it does not contain the value or its ends are
  /// not positive and finite; the median relative width of the series is then used.
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
};

struct ChangePoint {
  std::size_t index = 0;  ///< index of the first run of the new segment
  /// s: weighted geometric means of the two segments.
  double before = 0, after = 0;
  double change = 0;         ///< after / before − 1
  double low = 0, high = 0;  ///< 95 % interval of after / before
  double p = 1;              ///< corrected for the whole search
};

/// One or two spikes are outliers, not a change.
inline constexpr std::size_t kLeastSegment = 3;

struct ChangePointOptions {
  /// Probability of a false change in a series of independent normal noise. Spikes, a correlation
  /// of 0.3 and varying noise increase it up to tenfold (tests/bench/history); the
  /// default stays below 1 of 1,000 series of 100 runs.
  double p = 1e-4;
  std::size_t min_segment = kLeastSegment;  ///< minimum number of runs
  double min_change = 0.005;                ///< smallest relative change that counts
};

/// Change points in ascending order. Empty for fewer than 2·min_segment runs.
std::vector<ChangePoint> find_change_points(std::span<const SeriesPoint> series,
                                            const ChangePointOptions& options = {});

/// Runs between two neighbouring change points, or before the first or after the last.
struct Segment {
  std::size_t begin = 0, end = 0;                          ///< indices of its runs, end excluded
  double mean = std::numeric_limits<double>::quiet_NaN();  ///< s, weighted geometric
  double low = mean, high = mean;                          ///< s, 95 % interval of the mean
};

/// Segments covering the whole series, which must be that of the change points. A segment without
/// values has a NaN mean; a single run has no interval (NaN).
std::vector<Segment> segments_of(std::span<const SeriesPoint> series,
                                 std::span<const ChangePoint> change_points);

/// True for each run that its segment does not explain. One of 20 series of normal noise has an
/// outlier by chance. Skipped values are not outliers.
std::vector<bool> outliers_of(std::span<const SeriesPoint> series,
                              std::span<const ChangePoint> change_points);

}  // namespace kernelbatch
