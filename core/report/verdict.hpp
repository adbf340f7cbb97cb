// Decides which of two results is faster, from the known sources of variation.
//
// A time varies on three scales; the samples of one run show only the first.
//
// - Within a run: the order-statistics interval of the median. If the timer's step is as coarse as
//   the spread, most samples are equal and that interval has no width, although the time is known
//   to one step at best. So it is widened by one step on each side.
// - Between blocks of one process: caches, pages, clocks. Calibration measures it over separated
//   blocks, as the difference that 95 % of pairs stay below (`noise_floor`, relative, and
//   `launch_jitter`, in seconds).
// - Between processes: other addresses, load and clocks. No statistic of one run shows it. With
//   several runs per side it is estimated: the logarithms of the runs' medians are compared by
//   Student's t with the pooled variance (plus the usual variance with the weight of four degrees
//   of freedom), as T. Kalibera and R. Jones advise ("Rigorous benchmarking in reasonable time",
//   2013, sections 6 and 9). Runs of A and B should alternate (A B A B), or drift looks like a
//   difference. A run timed by several processes counts as that number of runs, but variation that
//   these share, such as clocks, does not decrease with their number. With one process per side,
//   only empirical bounds remain: kSingleRunJitter, kSingleRunGap. On the host even these fail,
//   since a varying load doubles times: one run per side, of any number of processes, never gives
//   FASTER or SLOWER there.
//
// The blur of a comparison, the difference that cannot be distinguished from none, is the largest
// of
// - a timer step over the median, of both sides together;
// - with one run per side, √(p² + j²), for independent causes: p, proportional to the time, is the
//   largest of the noise floors and kSingleRunGap; j, constant, is the largest of the launch
//   jitters and kSingleRunJitter for each launch, over the median. With k processes, whose mean
//   varies less, it is divided by √k;
// - the difference of the two sides' clocks, if at most kClockSteps: computation follows the clock.
//   A larger difference is attributed to the work's own power draw.
// The smallest relative difference g that counts is the larger of the blur and the user's setting.
//
// A gate must not open because nothing could be resolved. So g applies to FASTER and SLOWER as it
// is, but SAME requires at most kWidestSame, or the user's setting if that is larger (at most
// kWidestGap). If the timer's step, j, or the noise floor is wider or unknown, a result that is not
// clearly different is UNSURE.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/report/judged_row.hpp"

namespace kernelbatch {

/// With several runs per side, FASTER and SLOWER need a p-value below this, so that one of a
/// thousand comparisons of a build with itself is decided. At 0.05, where the interval excludes 1,
/// sixty were (1,008 comparisons of three runs per side on a host).
inline constexpr double kDecidingP = 0.001;

/// Fewer samples give only their range, not an interval.
inline constexpr std::int64_t kFewestSamples = 6;

/// s per kernel launch: how far the medians of two unchanged processes may differ at any length,
/// from variation of launch latency. In five runs of 117 variants on an H200, one launch of 4 to 5
/// µs differed by up to 0.61 µs, three of 12 µs in total by up to 1.6 µs; CUDA documents a
/// resolution of 0.5 µs for times between events.
inline constexpr double kSingleRunJitter = 0.75e-6;

/// Relative: the same for longer work, whose speed depends on pages and clocks. Medians of
/// processes that scatter by 0.35 % around their mean differ by less in 95 % of pairs.
inline constexpr double kSingleRunGap = 0.01;

/// Relative: boosting devices run at one of a few neighbouring clocks (15 MHz apart of 1980).
inline constexpr double kClockSteps = 0.016;

/// Relative: limit for SAME, unless the user asks for more, at most kWidestGap.
inline constexpr double kWidestSame = 0.05, kWidestGap = 0.2;

/// One result's ranked times in one run of its job.
struct RunTimes {
  Summary summary;
  double step = 0;            ///< s, of the timer
  double noise_floor = 0;     ///< relative, of the device; NaN if unknown
  double launch_jitter = 0;   ///< s, of the device
  std::int64_t launches = 1;  ///< kernels, if known
  /// Usual standard deviation of the logarithms of such runs' medians; 0 if unknown.
  double usual = 0;
  /// The same for variation shared by all runs of a side, such as the clocks of one run's
  /// processes.
  double shared = 0;
  double clock = kMissing;  ///< Hz, of the multiprocessors during timing; NaN if unknown
};

/// `before` is A's time and `now` B's: the geometric means of the runs' medians. The interval is
/// one of 95 %. FASTER and SLOWER need, with several runs per side, also p below kDecidingP.
struct Judgement : JudgedRow {
  double gap = 0;       ///< g above
  double same_gap = 0;  ///< s above: the limit for SAME
  /// Two-sided p-value of the deciding test: below 0.05 exactly if the interval excludes 1. With
  /// one run per side, the interval is taken as one of normal deviations.
  double p = kMissing;
};

struct JudgementOptions {
  double gap = 0.005;  ///< smallest relative difference that counts, at most kWidestGap
  bool is_host = false;
  /// Each side is one run, with the times of its processes.
  bool is_by_process = false;
  /// Both sides are from one process, which sampled them alternately: two variants of one file.
  /// Variation between processes is then ignored.
  bool is_same_run = false;
};

/// Both sides need at least one run. Medians that are not positive and finite, and intervals that
/// do not contain their median, give UNSURE.
Judgement judge(std::span<const RunTimes> a, std::span<const RunTimes> b,
                const JudgementOptions& options = {});

/// s: the smallest distance between two different times; 0 if all are equal.
double timer_step(std::vector<double> times);

}  // namespace kernelbatch
