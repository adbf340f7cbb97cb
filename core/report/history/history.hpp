// Results over months: one series for each workload, its parameters, variant and kind of device,
// over all result files below folders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/value.hpp"
#include "core/report/history/change_points.hpp"
#include "core/report/text_table.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

/// Empty texts ask for nothing.
struct HistoryFilter {
  std::string workload, variant;
  std::string device;          ///< part of its name, in either case
  std::string case_id;         ///< how the id of a run's case begins
  std::int64_t since_ns = -1;  ///< a run's start
};

struct HistoryRequest {
  std::vector<std::string> folders;
  HistoryFilter filter{};
  std::vector<std::string> commits{};  ///< the oldest first; empty: order by time alone
};

/// One result. Texts and environments are those of its History, by number; -1 where unknown.
struct HistoryPoint {
  std::size_t file = 0;  ///< index into History::files
  std::int64_t environment = -1, job = -1, case_id = -1, kernel_hash = -1, reason = -1;
  Status status = Status::kSkipped;
  Verification verification = Verification::kNone;
  SampleKind kind = SampleKind::kCold;
  std::int64_t start_ns = -1;
  double median = kMissing, low = kMissing, high = kMissing;  ///< s, ranked, 95 % interval

  bool is_verified() const noexcept { return verification != Verification::kNone; }
  bool is_timed() const noexcept { return status == Status::kOk && median > 0; }
  /// It failed, and was not only left out or impossible on the device.
  bool is_failure() const noexcept {
    return status != Status::kOk && status != Status::kSkipped && status != Status::kUnsupported;
  }
};

struct HistorySeries {
  std::string workload, variant, device;
  NamedValues params;
  std::int64_t ordinal = 0;          ///< which of those that are alike in all of this, from 0
  std::vector<HistoryPoint> points;  ///< all of them, in their order
};

struct History {
  std::vector<std::filesystem::path> files;  ///< that were found
  std::vector<HistorySeries> series;         ///< with at least one point each
  /// Of each file, job and environment the start that is last, whatever the filter leaves out.
  std::vector<HistoryPoint> latest;
  std::map<std::int64_t, std::string> texts;
  std::map<std::int64_t, NamedValues> environments;
  /// Of each environment the place of its commit in the list of commits; -1 where it is not there.
  std::map<std::int64_t, std::int64_t> ranks;
  std::vector<std::string> problems;  ///< a sentence for each file, shard or folder left out
  std::size_t left_out = 0;           ///< files that could not be read at all
  std::vector<std::string> notes;     ///< about the index and the order

  const std::string& text(std::int64_t id) const;
  /// The value of an environment as text; empty where there is none.
  std::string environment_text(std::int64_t environment, std::string_view name) const;
  std::string commit_of(const HistoryPoint& point) const {
    return environment_text(point.environment, "commit");
  }
  /// Files that hold a point.
  std::size_t runs() const;
};

/// Reads what is new below the folders and puts the series together. A result that two files hold
/// counts once. Throws SpecError where a folder is not there, no results are below them, none can
/// be read, or no result is what the filter asks for: then with the nearest names.
History load_history(const HistoryRequest& request);

/// A change of the environment, or of a kernel's text, that came with a change of time.
struct ChangeCause {
  std::string name, before, after;
};

struct ExplainedChange {
  ChangePoint point;  ///< its index counts `timed`
  std::vector<ChangeCause> causes;
};

/// A series' verified times and what they say.
struct AnalysedSeries {
  const HistorySeries* series = nullptr;
  std::vector<HistoryPoint> timed;     ///< right, verified and timed as the newest is
  std::vector<HistoryPoint> failures;  ///< HistoryPoint::is_failure()
  std::size_t unverified = 0;          ///< timed, but never compared with a reference
  std::size_t one_set = 0;             ///< of `timed`, verified on one set of inputs only
  std::size_t otherwise_timed = 0;     ///< cold where the newest is hot, and the like
  std::vector<SeriesPoint> values;     ///< of `timed`
  std::vector<ExplainedChange> changes;
  std::vector<Segment> segments;
  std::vector<bool> outliers;

  /// When the last change came; -1 where there is none.
  std::int64_t last_change_ns() const noexcept;
};

/// What was constant in all runs before and something else in all runs after, known on both sides:
/// the kernel's text first.
std::vector<ChangeCause> causes_between(const History& history,
                                        std::span<const HistoryPoint> before,
                                        std::span<const HistoryPoint> after);

/// On all cores. Recent changes first, then series without one in the order of the history.
std::vector<AnalysedSeries> analyse(const History& history);

struct HistoryTextOptions {
  TextFormat format;
  bool is_ascii = false;        ///< sparklines of ASCII
  std::size_t most_quiet = 20;  ///< series without a change that are shown
};

std::string history_table(const History& history, const std::vector<AnalysedSeries>& analysed,
                          const HistoryTextOptions& options);
/// All points, segments and changes.
std::string history_json(const History& history, const std::vector<AnalysedSeries>& analysed);

/// Up to `width` cells, each the median of its runs on a logarithmic scale that covers 5 % or more.
std::string sparkline(std::span<const SeriesPoint> values, std::size_t width, bool is_ascii);

/// "2026-11-25" or "2026-11-25 21:43 UTC"; "-" for what is not known.
std::string day_text(std::int64_t time_ns);
std::string minute_text(std::int64_t time_ns);
/// The inverse: `2026-11-25`, `2026-11-25T21:43`, `2026-11-25 21:43:10`, all of them UTC. Throws
/// SpecError.
std::int64_t parse_time(std::string_view text);

}  // namespace kernelbatch
