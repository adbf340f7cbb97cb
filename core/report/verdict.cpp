#include "core/report/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/statistics.hpp"

namespace kernelbatch {
namespace {

/// Half-width of a normal distribution's 95 % interval in standard deviations.
constexpr double kNormal = 1.959963984540054;

struct Side {
  double mean = 0;      // mean of the medians' logarithms
  double squares = 0;   // sum of squared distances from it
  double sampling = 0;  // variance of a run's logarithm from its own samples; mean over the runs
  double step = 0;      // relative
  double usual = 0;     // RunTimes::usual, the largest
  double shared = 0;    // RunTimes::shared, the largest
  double clock = 0;     // mean of the logarithms; NaN if one is unknown
  double noise_floor = 0, launch_jitter = 0;
  std::int64_t fewest_samples = 0, launches = 1;
};

/// Variance of the median's logarithm, from its 95 % interval.
double sampling_variance(const Summary& summary) {
  return std::pow(std::log(summary.ci95_high / summary.ci95_low) / (2 * kNormal), 2);
}

Side side_of(std::span<const RunTimes> runs) {
  Side side;
  side.fewest_samples = runs.front().summary.samples;
  for (const RunTimes& run : runs) {
    side.mean += std::log(run.summary.median) / static_cast<double>(runs.size());
    side.sampling += sampling_variance(run.summary) / static_cast<double>(runs.size());
    side.step = std::max(side.step, run.step / run.summary.median);
    // A value unknown for one run is unknown for the side.
    const bool is_known = run.noise_floor >= 0 && side.noise_floor >= 0;
    side.noise_floor = is_known ? std::max(side.noise_floor, run.noise_floor) : kMissing;
    side.launch_jitter = std::max(side.launch_jitter, run.launch_jitter);
    side.launches = std::max(side.launches, run.launches);
    side.fewest_samples = std::min(side.fewest_samples, run.summary.samples);
    side.usual = std::max(side.usual, run.usual);
    side.shared = std::max(side.shared, run.shared);
    side.clock += std::log(run.clock) / static_cast<double>(runs.size());
  }
  for (const RunTimes& run : runs)
    side.squares += std::pow(std::log(run.summary.median) - side.mean, 2);
  return side;
}

bool is_sound(const Summary& summary) {
  return summary.median > 0 && std::isfinite(summary.median) &&
         summary.ci95_low <= summary.median && summary.median <= summary.ci95_high &&
         summary.ci95_low > 0 && std::isfinite(summary.ci95_high);
}

/// Distance from the ratio to the interval's end nearer to 1, as a logarithm.
double nearer_half(const Judgement& judgement) {
  return judgement.ratio > 1 ? std::log(judgement.ratio / judgement.ratio_low)
                             : std::log(judgement.ratio_high / judgement.ratio);
}

/// Interval of one run's median relative to another's: excludes 1 exactly if the two intervals are
/// disjoint.
void set_single_interval(const RunTimes& a, const RunTimes& b, Judgement& judgement) {
  const double low = b.summary.ci95_low - b.step, high = b.summary.ci95_high + b.step;
  judgement.ratio_low = std::max(0.0, low) / (a.summary.ci95_high + a.step);
  // An interval that reaches zero gives no upper bound.
  const double least = a.summary.ci95_low - a.step;
  judgement.ratio_high = least > 0 ? high / least : std::numeric_limits<double>::infinity();
  const double distance = std::abs(std::log(judgement.ratio)), half = nearer_half(judgement);
  const double deviations =
      half > 0 ? kNormal * distance / half : std::numeric_limits<double>::infinity();
  judgement.p = distance > 0 ? std::erfc(deviations / std::sqrt(2.0)) : 1;
}

void set_interval(const Side& a, std::size_t runs_a, const Side& b, std::size_t runs_b,
                  Judgement& judgement) {
  constexpr std::size_t kUsualFreedom = 4;
  const double usual = std::max(a.usual, b.usual);
  const std::size_t known = usual > 0 ? kUsualFreedom : 0, freedom = runs_a + runs_b - 2 + known;
  const double squares = a.squares + b.squares + static_cast<double>(known) * usual * usual;
  // A few medians may be close by chance, but vary at least as much as their samples.
  const double variance =
      std::max(squares / static_cast<double>(freedom), (a.sampling + b.sampling) / 2);
  // Variation shared by all runs of a side does not decrease with their number.
  const double error =
      std::sqrt(variance * (1 / static_cast<double>(runs_a) + 1 / static_cast<double>(runs_b)) +
                a.shared * a.shared + b.shared * b.shared);
  // Timer steps shift all runs equally, so more runs do not help.
  const double steps = a.step + b.step;
  const double half_width = student_half_width(freedom) * error + steps;
  judgement.ratio_low = judgement.ratio * std::exp(-half_width);
  judgement.ratio_high = judgement.ratio * std::exp(half_width);
  const double distance = std::max(0.0, std::abs(std::log(judgement.ratio)) - steps);
  judgement.p = distance > 0 ? student_p(distance / error, freedom) : 1;
}

/// j for one run per side.
double single_run_jitter(const Side& a, const Side& b, const Judgement& judgement,
                         const JudgementOptions& options) {
  const double unknown_s =
      options.is_same_run
          ? 0
          : kSingleRunJitter * static_cast<double>(std::max(a.launches, b.launches));
  return std::max({unknown_s, a.launch_jitter, b.launch_jitter}) /
         std::min(judgement.before, judgement.now);
}

/// p for one run per side. Unknown noise prevents SAME, but not SLOWER.
double single_run_noise(const Side& a, const Side& b, const JudgementOptions& options) {
  const auto known = [](double noise) { return noise > 0 ? noise : 0; };
  return std::max(
      {options.is_same_run ? 0 : kSingleRunGap, known(a.noise_floor), known(b.noise_floor)});
}

/// Relative difference of the clocks of the two sides; 0 if unknown.
double clock_steps(const Side& a, const Side& b) {
  const double difference = std::abs(a.clock - b.clock);
  return difference > 0 && difference <= kClockSteps ? std::expm1(difference) : 0;
}

Verdict verdict_of(const Judgement& judgement) {
  const double above = 1 + judgement.gap, below = 1 / above;
  if (judgement.ratio_low > 1 && judgement.ratio > above) return Verdict::kSlower;
  if (judgement.ratio_high < 1 && judgement.ratio < below) return Verdict::kFaster;
  const double most = 1 + judgement.same_gap;
  const bool is_within = judgement.ratio_low >= 1 / most && judgement.ratio_high <= most;
  return is_within ? Verdict::kSame : Verdict::kUnsure;
}

/// Why SAME cannot be reported; empty if it can.
std::string why_not_same(const Side& a, const Side& b, double unseen, double widest) {
  for (const auto& [side, name] : {std::pair(&a, 'A'), std::pair(&b, 'B')}) {
    if (!(side->noise_floor >= 0)) return fmt::format("{}'s calibrated noise is unknown", name);
    if (side->noise_floor > widest)
      return fmt::format("{}'s calibrated noise is {:.3g} %, above {:.3g} %", name,
                         100 * side->noise_floor, 100 * widest);
  }
  if (unseen > widest)
    return fmt::format("differences below {:.3g} % cannot be resolved in such a short time",
                       100 * unseen);
  return "";
}

bool are_sound(std::span<const RunTimes> side) {
  return std::ranges::all_of(side, [](const RunTimes& run) { return is_sound(run.summary); });
}

/// Differences that cannot be seen: `unseen` by the timer or in launches, `all` for any cause.
struct Blur {
  double unseen = 0, all = 0;
};

/// Also sets the interval.
Blur single_blur(const RunTimes& a, const RunTimes& b, const Side& side_a, const Side& side_b,
                 const JudgementOptions& options, Judgement& judgement) {
  set_single_interval(a, b, judgement);
  const double jitter = single_run_jitter(side_a, side_b, judgement, options);
  const double unseen = std::max(side_a.step + side_b.step, jitter);
  return {unseen, std::max(unseen, std::hypot(single_run_noise(side_a, side_b, options), jitter))};
}

/// The same for several runs of a side.
Blur blur_of_runs(std::size_t runs_a, std::size_t runs_b, const Side& side_a, const Side& side_b,
                  const JudgementOptions& options, Judgement& judgement) {
  set_interval(side_a, runs_a, side_b, runs_b, judgement);
  const double steps = side_a.step + side_b.step;
  if (!options.is_by_process) return {steps, steps};
  const double jitter = single_run_jitter(side_a, side_b, judgement, options);
  const double of_one = std::hypot(single_run_noise(side_a, side_b, options), jitter);
  return {steps,
          std::max(steps, of_one / std::sqrt(static_cast<double>(std::min(runs_a, runs_b))))};
}

/// Why FASTER or SLOWER cannot be reported; empty if it can.
std::string why_not_decided(const Judgement& judgement, bool is_single, bool is_one_host_run) {
  if (!is_single && !(judgement.p < kDecidingP))
    return fmt::format(
        "such a difference occurs by chance once in {:.0f} comparisons of this number of runs",
        1 / std::max(judgement.p, kDecidingP));
  return is_one_host_run ? "host times need several runs per side" : "";
}

/// A reason beyond the numbers; empty if they show it.
std::string why_unsure(const Judgement& judgement, double clocks) {
  if (judgement.verdict != Verdict::kUnsure ||
      std::abs(std::log(judgement.ratio)) > std::log1p(clocks))
    return "";
  return fmt::format("clocks differ by {:.2f} %, which may explain the difference", 100 * clocks);
}

}  // namespace

Judgement judge(std::span<const RunTimes> a, std::span<const RunTimes> b,
                const JudgementOptions& options) {
  const Side side_a = side_of(a), side_b = side_of(b);
  Judgement judgement;
  const bool is_single = a.size() == 1 && b.size() == 1;
  judgement.before = is_single ? a.front().summary.median : std::exp(side_a.mean);
  judgement.now = is_single ? b.front().summary.median : std::exp(side_b.mean);
  if (!are_sound(a) || !are_sound(b)) {
    judgement.verdict = Verdict::kUnsure;
    judgement.note = "a median or its interval is not a valid time";
    return judgement;
  }
  judgement.ratio = judgement.now / judgement.before;
  const Blur blur = is_single
                        ? single_blur(a.front(), b.front(), side_a, side_b, options, judgement)
                        : blur_of_runs(a.size(), b.size(), side_a, side_b, options, judgement);
  const double clocks = options.is_same_run ? 0 : clock_steps(side_a, side_b);
  judgement.gap = std::max({options.gap, blur.all, clocks});
  const double widest = std::max(kWidestSame, std::min(options.gap, kWidestGap));
  const bool is_one_host_run = is_single && options.is_host && !options.is_same_run;
  // One host run never gives FASTER or SLOWER, so only SAME remains.
  if (is_one_host_run) judgement.gap = std::max(judgement.gap, widest);
  judgement.same_gap = std::min(judgement.gap, widest);
  judgement.verdict = verdict_of(judgement);
  const bool is_decided =
      judgement.verdict == Verdict::kFaster || judgement.verdict == Verdict::kSlower;
  judgement.note = is_decided ? why_not_decided(judgement, is_single, is_one_host_run)
                              : why_not_same(side_a, side_b, blur.unseen, widest);
  if (!is_decided && judgement.note.empty()) judgement.note = why_unsure(judgement, clocks);
  if (std::min(side_a.fewest_samples, side_b.fewest_samples) < kFewestSamples)
    judgement.note = "too few samples";
  if (!judgement.note.empty()) judgement.verdict = Verdict::kUnsure;
  return judgement;
}

double timer_step(std::vector<double> times) {
  std::ranges::sort(times);
  double step = 0;
  for (std::size_t k = 1; k < times.size(); ++k) {
    const double distance = times[k] - times[k - 1];
    if (distance > 0 && (step == 0 || distance < step)) step = distance;
  }
  return step;
}

}  // namespace kernelbatch
