#include "core/report/verdict.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace kernelbatch {
namespace {

/// Half of the 95 % interval of a mean in standard errors, for so many degrees of freedom.
double student(std::size_t freedom) {
  constexpr std::array kQuantiles{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365,
                                  2.306,  2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
                                  2.131,  2.120, 2.110, 2.101, 2.093, 2.086};
  return kQuantiles[std::min(freedom, kQuantiles.size()) - 1];
}

struct Side {
  double mean = 0;      // of the medians' logarithms
  double squares = 0;   // of their distances from it
  double sampling = 0;  // variance of one run's logarithm from its samples alone, mean of the runs
  double step = 0;      // relative
  double noise_floor = 0, launch_jitter = 0;
  std::int64_t fewest_samples = 0, launches = 1;
};

/// Of the median's logarithm, from its 95 % interval.
double sampling_variance(const Summary& summary) {
  constexpr double kNormalWidth = 2 * 1.96;
  return std::pow(std::log(summary.ci95_high / summary.ci95_low) / kNormalWidth, 2);
}

Side side_of(std::span<const RunTimes> runs) {
  Side side;
  side.fewest_samples = runs.front().summary.samples;
  for (const RunTimes& run : runs) {
    side.mean += std::log(run.summary.median) / static_cast<double>(runs.size());
    side.sampling += sampling_variance(run.summary) / static_cast<double>(runs.size());
    side.step = std::max(side.step, run.step / run.summary.median);
    side.noise_floor = std::max(side.noise_floor, run.noise_floor);
    side.launch_jitter = std::max(side.launch_jitter, run.launch_jitter);
    side.launches = std::max(side.launches, run.launches);
    side.fewest_samples = std::min(side.fewest_samples, run.summary.samples);
  }
  for (const RunTimes& run : runs)
    side.squares += std::pow(std::log(run.summary.median) - side.mean, 2);
  return side;
}

/// The interval of one run's median against another's: apart exactly where the two are disjoint.
void set_single_interval(const RunTimes& a, const RunTimes& b, Judgement& judgement) {
  const double low = b.summary.ci95_low - b.step, high = b.summary.ci95_high + b.step;
  judgement.ratio_low = std::max(0.0, low) / (a.summary.ci95_high + a.step);
  // An interval that reaches down to no time at all bounds nothing from above.
  const double least = a.summary.ci95_low - a.step;
  judgement.ratio_high = least > 0 ? high / least : std::numeric_limits<double>::infinity();
}

void set_interval(const Side& a, std::size_t runs_a, const Side& b, std::size_t runs_b,
                  Judgement& judgement) {
  const std::size_t freedom = runs_a + runs_b - 2;
  // Few medians may lie close together by chance, but vary at least as their samples let them.
  const double variance = std::max((a.squares + b.squares) / static_cast<double>(freedom),
                                   (a.sampling + b.sampling) / 2);
  const double error =
      std::sqrt(variance * (1 / static_cast<double>(runs_a) + 1 / static_cast<double>(runs_b)));
  // The timer's steps shift all runs alike, so that more of them do not help.
  const double half_width = student(freedom) * error + a.step + b.step;
  judgement.ratio_low = judgement.ratio * std::exp(-half_width);
  judgement.ratio_high = judgement.ratio * std::exp(half_width);
}

double single_run_gap(const Side& a, const Side& b, const Judgement& judgement,
                      const JudgementOptions& options) {
  const double unknown_s =
      options.is_same_run
          ? 0
          : kSingleRunJitter * static_cast<double>(std::max(a.launches, b.launches));
  const double unknown = options.is_same_run ? 0
                         : options.is_host   ? kSingleHostRunGap
                                             : kSingleRunGap;
  const double jitter = std::max({unknown_s, a.launch_jitter, b.launch_jitter}) /
                        std::min(judgement.median_a, judgement.median_b);
  return std::hypot(std::max({unknown, a.noise_floor, b.noise_floor}), jitter);
}

Verdict verdict_of(const Judgement& judgement) {
  const double above = 1 + judgement.gap, below = 1 / above;
  if (judgement.ratio_low > 1 && judgement.ratio > above) return Verdict::kSlower;
  if (judgement.ratio_high < 1 && judgement.ratio < below) return Verdict::kFaster;
  const bool is_within = judgement.ratio_low >= below && judgement.ratio_high <= above;
  return is_within ? Verdict::kSame : Verdict::kUnsure;
}

}  // namespace

std::string_view to_text(Verdict verdict) noexcept {
  constexpr std::array<std::string_view, kVerdictCount> kNames{"FASTER", "SLOWER", "SAME", "UNSURE",
                                                               "MISSING"};
  return kNames[static_cast<std::size_t>(verdict)];
}

Judgement judge(std::span<const RunTimes> a, std::span<const RunTimes> b,
                const JudgementOptions& options) {
  const Side side_a = side_of(a), side_b = side_of(b);
  Judgement judgement;
  const bool is_single = a.size() == 1 && b.size() == 1;
  judgement.median_a = is_single ? a.front().summary.median : std::exp(side_a.mean);
  judgement.median_b = is_single ? b.front().summary.median : std::exp(side_b.mean);
  judgement.ratio = judgement.median_b / judgement.median_a;
  judgement.gap = std::max(options.gap, side_a.step + side_b.step);
  if (is_single) {
    set_single_interval(a.front(), b.front(), judgement);
    judgement.gap = std::max(judgement.gap, single_run_gap(side_a, side_b, judgement, options));
  } else {
    set_interval(side_a, a.size(), side_b, b.size(), judgement);
  }
  judgement.verdict = verdict_of(judgement);
  const bool is_decided =
      judgement.verdict == Verdict::kFaster || judgement.verdict == Verdict::kSlower;
  if (is_single && options.is_host && !options.is_same_run && is_decided) {
    judgement.verdict = Verdict::kUnsure;
    judgement.note = "one run a side says too little of host times";
  }
  if (std::min(side_a.fewest_samples, side_b.fewest_samples) < kFewestSamples) {
    judgement.verdict = Verdict::kUnsure;
    judgement.note = "too few samples";
  }
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
