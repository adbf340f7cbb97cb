#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <optional>

#include "core/base/text.hpp"
#include "core/report/history/gate.hpp"

namespace kernelbatch {
namespace {

/// Half-width of a 95 % interval in normal deviations.
constexpr double kHalfWidth95 = 1.959964;

bool is_usable_time(double value) { return value > 0 && std::isfinite(value); }

/// Variance of a run's logarithm from its own interval; std::nullopt if the interval is invalid.
std::optional<double> variance_of_run(const SeriesPoint& run) {
  if (!is_usable_time(run.low) || !is_usable_time(run.high) || run.low > run.value ||
      run.high < run.value)
    return std::nullopt;
  const double deviation = std::log(run.high / run.low) / (2 * kHalfWidth95);
  return deviation * deviation;
}

struct SegmentMoments {
  double runs = 0, mean = 0, variance = 0;  ///< of logarithms
  std::optional<double> sampling;           ///< mean of the runs' own variances
};

SegmentMoments moments_of_segment(std::span<const SeriesPoint> segment) {
  SegmentMoments moments;
  std::vector<double> logs;
  double sampling = 0, known = 0;
  for (const SeriesPoint& run : segment) {
    if (!is_usable_time(run.value)) continue;
    logs.push_back(std::log(run.value));
    if (const auto own = variance_of_run(run)) {
      sampling += *own;
      ++known;
    }
  }
  moments.runs = static_cast<double>(logs.size());
  if (known > 0) moments.sampling = sampling / known;
  if (logs.empty()) return moments;
  for (const double each : logs) moments.mean += each / moments.runs;
  for (const double each : logs)
    moments.variance += (each - moments.mean) * (each - moments.mean) / (moments.runs - 1);
  return moments;
}

Verdict gate_verdict(double ratio, double low, double high, double gap) {
  if (low > 1 && ratio > 1 + gap) return Verdict::kSlower;
  if (high < 1 && ratio < 1 / (1 + gap)) return Verdict::kFaster;
  if (low >= 1 / (1 + gap) && high <= 1 + gap) return Verdict::kSame;
  return Verdict::kUnsure;
}

}  // namespace

JudgedRow judge_run(std::span<const SeriesPoint> segment, const SeriesPoint& run, double gap) {
  JudgedRow judgement{.verdict = Verdict::kUnsure};
  if (!is_usable_time(run.value)) {
    judgement.note = "the newest run has no time";
    return judgement;
  }
  judgement.now = run.value;
  const SegmentMoments base = moments_of_segment(segment);
  if (base.runs > 0) {
    judgement.before = std::exp(base.mean);
    judgement.ratio = run.value / judgement.before;
  }
  if (base.runs < static_cast<double>(kFewestBaselineRuns)) {
    judgement.note =
        fmt::format("the baseline has {}, {} are needed",
                    plural(static_cast<std::uint64_t>(base.runs), "run"), kFewestBaselineRuns);
    return judgement;
  }
  const std::optional<double> own = variance_of_run(run);
  if (!own) {
    judgement.note = "the newest run has no interval";
    return judgement;
  }
  const double more = std::max(0.0, *own - base.sampling.value_or(0));
  const double variance = base.variance / base.runs + std::max(base.variance + more, *own);
  const boost::math::students_t student(base.runs - 1);
  const double half =
      boost::math::quantile(boost::math::complement(student, (1 - kGateLevel) / 2)) *
      std::sqrt(variance);
  judgement.ratio_low = judgement.ratio * std::exp(-half);
  judgement.ratio_high = judgement.ratio * std::exp(half);
  judgement.verdict = gate_verdict(judgement.ratio, judgement.ratio_low, judgement.ratio_high, gap);
  if (judgement.verdict == Verdict::kUnsure)
    judgement.note = fmt::format("one run differs from {} by up to {:.1f} % by chance", base.runs,
                                 100 * std::expm1(half));
  return judgement;
}

}  // namespace kernelbatch
