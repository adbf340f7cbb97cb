// Gate: compares the newest run with the baseline, for CI.
//
// A new run varies like the runs of the baseline's last segment, and by its own interval. So its
// time is compared with the prediction interval for one further run of the segment. With mean m,
// variance S² and n runs (of logarithms), y − m of a new run y has the variance S²/n + max(S² +
// max(0, s² − s̄²), s²) and n − 1 degrees of freedom of Student's t (G. Hahn, W. Meeker,
// "Statistical Intervals", 1991, chapter 4). s is the standard deviation from the new run's own
// interval; s̄² is the mean of the same over the segment's runs, which S² already includes.
//
// The level is 99 %: of 1,000 unchanged series with independent, normal runs, five are above the
// interval on average, and fewer also differ by more than the gap.
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
  kWrong,   ///< no correct result now; the baseline has one
  kGone,    ///< missing in the newest run, present in one of the baseline's last three
  kUnsure,  ///< none of the others: too few runs, or too much noise
  kNew,     ///< not in the baseline, or never correct there
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
/// Fewer runs do not show how runs vary.
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
  std::int64_t now_ns = unix_time_ns();  ///< runs after this have a clock that is ahead
};

struct GateRow {
  const HistorySeries* series = nullptr;
  GateJudgement judgement;
  double now = kMissing;          ///< s
  std::size_t baseline_runs = 0;  ///< of the segment
  std::size_t run = 0;            ///< index into GateResult::runs
  bool is_one_set = false;        ///< the newest run was verified on one set of inputs only
};

/// Newest file of a job and kind of device, by the start of its last result. For series that it
/// lacks, a file of the same commit is used.
struct NewestRun {
  std::size_t file = 0;  ///< index into History::files
  std::int64_t start_ns = -1;
  std::string job, device, commit, branch;
};

struct GateResult {
  std::vector<NewestRun> runs;
  std::vector<GateRow> rows;  ///< in the order of GateVerdict, of these the largest ratio first
  std::size_t counts[kGateVerdictCount] = {};
  std::vector<std::string> notes;  ///< one for each run left out

  std::size_t count(GateVerdict verdict) const { return counts[static_cast<std::size_t>(verdict)]; }
};

/// Judges every series of the newest runs. Throws SpecError if nothing can be judged: no run is in
/// the baseline, or none is older than the newest.
GateResult judge_history(const History& history, const GateOptions& options);

enum class GateFormat : std::uint8_t {
  kText,
  kJson,
  kGithub,  ///< GitHub workflow commands: an annotation for each series that is not the same
  kJunit,   ///< a test case per series: slower and wrong are failures
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
