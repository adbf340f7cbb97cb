// The newest run against the baseline: what a CI job ends by.
//
// A new run varies as the runs of the baseline's last segment do, and by its own interval. So its
// time is held against the interval in which one further run of the segment would lie: of the
// logarithms with mean m, variance S² and n runs, a new run's y gives y − m with the variance
// S²/n + max(S² + max(0, s² − s̄²), s²) and n − 1 degrees of freedom of Student's t (G. Hahn,
// W. Meeker, "Statistical Intervals", 1991, chapter 4). s is the standard deviation that the new
// run's own interval tells and s̄² the mean of the same of the segment's runs, which S² holds
// already.
//
// The level is 99 %: of 1,000 series in which nothing has changed, and whose runs are independent
// and normal, five are above the interval in the mean, and fewer differ by more than the gap, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/choice.hpp"
#include "core/base/clock.hpp"
#include "core/report/history/history.hpp"
#include "core/report/text_table.hpp"

namespace kernelbatch {

enum class GateVerdict : std::uint8_t {
  kSlower,  ///< the whole interval of the ratio is above 1, and the ratio above 1 + gap
  kWrong,   ///< no right result now; a right one in the baseline
  kGone,    ///< not in the newest run, but in one of the baseline's last three
  kUnsure,  ///< none of the others: too few runs, or too much noise
  kNew,     ///< not in the baseline, or never right there
  kFaster,  ///< the whole interval is below 1, and the ratio below 1/(1 + gap)
  kSame,    ///< the whole interval lies within [1/(1 + gap), 1 + gap]
};
inline constexpr std::size_t kGateVerdictCount = 7;
template <>
struct Names<GateVerdict> {
  static constexpr Named<GateVerdict> rows[kGateVerdictCount] = {
      {GateVerdict::kSlower, "SLOWER"}, {GateVerdict::kWrong, "WRONG"},
      {GateVerdict::kGone, "GONE"},     {GateVerdict::kUnsure, "UNSURE"},
      {GateVerdict::kNew, "NEW"},       {GateVerdict::kFaster, "FASTER"},
      {GateVerdict::kSame, "SAME"}};
};

inline constexpr double kGateLevel = 0.99;
/// Fewer say too little of how runs vary.
inline constexpr std::size_t kFewestBaselineRuns = 3;

struct GateJudgement {
  GateVerdict verdict = GateVerdict::kUnsure;
  double before = kMissing;  ///< s, the geometric mean of the segment
  double ratio = kMissing, low = kMissing, high = kMissing;  ///< with the interval at kGateLevel
  /// Why it is unsure, wrong or gone; what else changed with the time.
  std::string note;
};

/// One run against the runs of a segment.
GateJudgement judge_run(std::span<const SeriesPoint> segment, const SeriesPoint& run, double gap);

struct GateOptions {
  std::string baseline;  ///< a branch, or the beginning of a commit; empty: all earlier runs
  double gap = 0.02;     ///< smallest relative difference that counts
  std::int64_t now_ns = unix_time_ns();  ///< later runs have a clock that is ahead
};

struct GateRow {
  const HistorySeries* series = nullptr;
  GateJudgement judgement;
  double now = kMissing;          ///< s
  std::size_t baseline_runs = 0;  ///< of the segment
  std::size_t run = 0;            ///< index into GateResult::runs
  bool is_one_set = false;        ///< the newest run was verified on one set of inputs only
};

/// The newest file of a job and kind of device, by the start of its last result. Where a series is
/// not in it, a file with the same commit stands for it.
struct NewestRun {
  std::size_t file = 0;  ///< index into History::files
  std::int64_t start_ns = -1;
  std::string job, device, commit, branch;
};

struct GateResult {
  std::vector<NewestRun> runs;
  std::vector<GateRow> rows;  ///< in the order of GateVerdict, of these the largest ratio first
  std::size_t counts[kGateVerdictCount] = {};
  std::vector<std::string> notes;  ///< a sentence for each run that is left out

  std::size_t count(GateVerdict verdict) const { return counts[static_cast<std::size_t>(verdict)]; }
};

/// Judges every series of the newest runs. Throws SpecError where nothing can be: no run is the
/// baseline's, or none is older than the newest.
GateResult judge_history(const History& history, const GateOptions& options);

enum class GateFormat : std::uint8_t {
  kText,
  kJson,
  kGithub,  ///< commands of GitHub's workflows: an annotation for each that is not the same
  kJunit,   ///< a test case for each series: slower and wrong are failures
};
template <>
struct Names<GateFormat> {
  static constexpr Named<GateFormat> rows[] = {{GateFormat::kText, "text"},
                                               {GateFormat::kJson, "json"},
                                               {GateFormat::kGithub, "github"},
                                               {GateFormat::kJunit, "junit"}};
};

std::string gate_table(const History& history, const GateResult& result, const TextFormat& format,
                       std::size_t most_same);
std::string gate_json(const History& history, const GateResult& result);
std::string gate_github(const GateResult& result);
std::string gate_junit(const GateResult& result);

}  // namespace kernelbatch
