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
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/base/clock.hpp"
#include "core/report/history/history.hpp"
#include "core/report/judged_report.hpp"
#include "core/report/text_table.hpp"

namespace kernelbatch {

/// In the order in which the gate counts them.
inline constexpr Verdict kGateVerdicts[] = {Verdict::kSlower, Verdict::kWrong, Verdict::kGone,
                                            Verdict::kUnsure, Verdict::kNew,   Verdict::kFaster,
                                            Verdict::kSame};

inline constexpr double kGateLevel = 0.99;
/// Fewer runs do not show how runs vary.
inline constexpr std::size_t kFewestBaselineRuns = 3;

/// One run against the runs of a segment: their geometric mean is `before`, and the interval is one
/// of kGateLevel.
JudgedRow judge_run(std::span<const SeriesPoint> segment, const SeriesPoint& run, double gap);

struct GateOptions {
  std::string baseline;         ///< a branch, or the beginning of a commit; empty: all earlier runs
  double gap = 0.02;            ///< smallest relative difference that counts
  bool has_host_times = false;  ///< also judge times of the host device
  std::int64_t now_ns = unix_time_ns();  ///< runs after this have a clock that is ahead
};

struct GateRow {
  const HistorySeries* series = nullptr;
  JudgedRow judgement{.verdict = Verdict::kUnsure};
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
  std::vector<GateRow> rows;  ///< worst first; of equal verdicts the largest ratio first
  std::int64_t counts[kVerdictCount] = {};
  std::int64_t not_compared = 0;   ///< series of host times
  std::vector<std::string> notes;  ///< one for each run left out

  std::int64_t count(Verdict verdict) const { return counts[static_cast<std::size_t>(verdict)]; }
};

/// Judges every series of the newest runs. Throws SpecError if nothing can be judged: no run is in
/// the baseline, or none is older than the newest.
GateResult judge_history(const History& history, const GateOptions& options);

/// As a table, JSON, JUnit XML or GitHub workflow commands, with a line end. `most_same` limits the
/// number of SAME rows of the table. SLOWER and WRONG are failures.
std::string gate_text(const History& history, const GateResult& result, JudgedFormat format,
                      const TextFormat& layout = {},
                      std::size_t most_same = std::numeric_limits<std::size_t>::max());

}  // namespace kernelbatch
