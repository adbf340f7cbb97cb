// Which of two results is faster, from all that is known of how such times vary.
//
// A time varies on three scales, and the samples of one run show only the first.
//
// - Within a run: the order-statistics interval of the median. Where the timer ticks in steps as
//   coarse as the spread, most samples are equal and that interval has no width, although the time
//   is known to one step at best. So it is widened by one step on either side.
// - Between places of one process: caches, pages, clocks. Calibration measures it over separated
//   blocks, as the difference that two of them stay below in 95 % (`noise_floor`, relative, and
//   `launch_jitter`, in seconds).
// - Between processes: other addresses, another load, other clocks. No statistic of one run knows
//   it. With several runs a side it is estimated: the logarithms of the runs' medians are compared
//   by Student's t with the pooled variance (and what is usual, as if it came of four further
//   degrees of freedom), as T. Kalibera and R. Jones advise ("Rigorous
//   benchmarking in reasonable time", 2013, sections 6 and 9); A and B should take turns (A B A B),
//   or what drifts in between looks like a difference. A run that several processes timed counts
//   as that many, but what these have alike, such as clocks, is no smaller for being seen several
//   times. With one process a side nothing but a bound from experience is left:
//   kSingleRunJitter, kSingleRunGap. On the host even that fails, since a load that comes and goes
//   doubles times: one run a side, of however many processes, never makes FASTER or SLOWER there.
//
// The blur of a comparison, what it cannot tell from no difference at all, is the larger of
// - a step of the timer over the median, of both sides together;
// - with one run a side √(p² + j²), as independent causes add up: p, of what is proportional to the
//   time, the largest of the noise floors and kSingleRunGap; j, of what is not, the largest of the
//   launch jitters and kSingleRunJitter for each launch, over the median. Of k processes, of which
//   means vary less, it is the √k-th part.
// - what the two sides' clocks differ by, as far as that is no more than kClockSteps: what computes
//   follows them. A larger difference is taken for one that the work makes, by its power.
// The smallest relative difference g that counts is the larger of the blur and what the user asked
// for.
//
// A gate must not open because nothing could be seen. So g counts for FASTER and SLOWER as it is,
// but SAME is said only within at most kWidestSame, or what the user asked for if that is more
// (kWidestGap at most): where the timer's step, j, or the noise floor of any number of runs is
// wider, or is not known, what is not clearly apart is UNSURE.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result/record.hpp"

namespace kernelbatch {

enum class Verdict : std::uint8_t {
  kFaster,  ///< the 95 % interval of the ratio B/A is below 1, and the ratio below 1/(1+g); with
            ///< several runs a side also p below kDecidingP
  kSlower,  ///< the interval is above 1, and the ratio above 1+g; p as above
  kSame,    ///< the interval lies within [1/(1+s), 1+s], and nothing wider than that is hidden
  kUnsure,  ///< neither: more samples, more runs or a quieter machine would tell
  kAbsent,  ///< one side has no such result, or none that is right
};
inline constexpr std::size_t kVerdictCount = 5;
std::string_view to_text(Verdict verdict) noexcept;

/// With several runs a side FASTER and SLOWER need a p-value below this: of a thousand comparisons
/// of a build with itself one may be decided. At 0.05, where the interval excludes 1, sixty were
/// (1,008 comparisons of three runs a side on a host).
inline constexpr double kDecidingP = 0.001;

/// Fewer samples give no interval, only their range.
inline constexpr std::int64_t kFewestSamples = 6;

/// s, for each kernel that is launched: how far the medians of two processes may be apart with
/// nothing changed, at any length. It is what a launch's way to the device varies by. In five runs
/// of 117 variants on an H200 one launch of 4 to 5 µs differed by up to 0.61 µs, three of 12 µs in
/// all by up to 1.6 µs; CUDA documents 0.5 µs as the resolution of times between events.
inline constexpr double kSingleRunJitter = 0.75e-6;

/// Relative: the same of longer work, whose speed follows its pages and clocks. Medians of
/// processes that scatter by 0.35 % around their mean differ by less in 95 % of pairs.
inline constexpr double kSingleRunGap = 0.01;

/// Relative: devices that boost take one of a few neighbouring clocks (15 MHz apart of 1980).
inline constexpr double kClockSteps = 0.016;

/// Relative: SAME is said within this much, unless the user asks for more, at most kWidestGap.
inline constexpr double kWidestSame = 0.05, kWidestGap = 0.2;

/// One result's ranked times in one run of its job.
struct RunTimes {
  Summary summary;
  double step = 0;            ///< s, of the timer
  double noise_floor = 0;     ///< relative, of the device; NaN where it is not known
  double launch_jitter = 0;   ///< s, of the device
  std::int64_t launches = 1;  ///< kernels, where known
  /// Standard deviation that medians of such runs usually have, of their logarithms; 0 where
  /// nothing is known.
  double usual = 0;
  /// The same of what all runs of a side have alike, as processes of one run have their clocks.
  double shared = 0;
  double clock = kMissing;  ///< Hz, of the multiprocessors while it was timed; NaN where unknown
};

struct Judgement {
  /// s: the geometric mean of the runs' medians.
  double median_a = kMissing, median_b = kMissing;
  /// Times of B over times of A with their 95 % interval: above 1, B is slower.
  double ratio = kMissing, ratio_low = kMissing, ratio_high = kMissing;
  double gap = 0;       ///< g of above
  double same_gap = 0;  ///< s: SAME is said within it
  /// Two-sided, of the test that decides whether the sides are apart: below 0.05 exactly where the
  /// interval excludes 1. With one run a side the interval is taken for one of normal deviations.
  double p = kMissing;
  Verdict verdict = Verdict::kAbsent;
  std::string note;  ///< why it is unsure; empty where the numbers say it
};

struct JudgementOptions {
  double gap = 0.005;  ///< smallest relative difference that counts, at most kWidestGap
  bool is_host = false;
  /// Each side is one run, the times those of its processes.
  bool is_by_process = false;
  /// Both are of one process, which took their samples in turns: two variants of one file. What
  /// processes differ by is then left out.
  bool is_same_run = false;
};

/// Both sides at least one run. Medians that are no positive finite numbers, and intervals that do
/// not hold their median, make UNSURE.
Judgement judge(std::span<const RunTimes> a, std::span<const RunTimes> b,
                const JudgementOptions& options = {});

/// s: the smallest distance between two different times; 0 where all are equal.
double timer_step(std::vector<double> times);

}  // namespace kernelbatch
