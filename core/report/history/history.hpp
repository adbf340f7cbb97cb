// History: one series for each workload, parameters, variant and kind of device, over all result
// files below the given folders.
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

/// Empty texts match everything.
struct HistoryFilter {
  std::string workload, variant;
  std::string device;          ///< part of its name, case-insensitive
  std::string case_id;         ///< prefix of the case's ID
  std::int64_t since_ns = -1;  ///< earliest start of a run
};

struct HistoryRequest {
  std::vector<std::string> folders;
  HistoryFilter filter{};
  std::vector<std::string> commits{};  ///< oldest first; empty: order by time only
};

/// One result. Texts and environments are numbers in its History; -1 if unknown.
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
  /// True if it failed, other than being skipped or unsupported by the device.
  bool is_failure() const noexcept { return status != Status::kOk && status != Status::kSkipped; }
};

struct HistorySeries {
  std::string workload, variant, device;
  NamedValues params;
  std::int64_t ordinal = 0;          ///< number among series that are otherwise equal, from 0
  std::vector<HistoryPoint> points;  ///< all, in order
};

struct History {
  std::vector<std::filesystem::path> files;  ///< found
  std::vector<HistorySeries> series;         ///< with at least one point each
  /// The latest start of each file, job and environment, regardless of the filter.
  std::vector<HistoryPoint> latest;
  std::map<std::int64_t, std::string> texts;
  std::map<std::int64_t, NamedValues> environments;
  /// Position of each environment's commit in the list of commits; -1 if not listed.
  std::map<std::int64_t, std::int64_t> ranks;
  std::vector<std::string> problems;  ///< one for each file, shard or folder left out
  std::size_t left_out = 0;           ///< unreadable files
  std::vector<std::string> notes;     ///< about the index and the order

  const std::string& text(std::int64_t id) const;
  /// An environment value as text; empty if there is none.
  std::string environment_text(std::int64_t environment, std::string_view name) const;
  std::string commit_of(const HistoryPoint& point) const {
    return environment_text(point.environment, "commit");
  }
  /// Number of files that have points.
  std::size_t runs() const;
};

/// Reads new files below the folders and assembles the series. A result in two files counts once.
/// Throws SpecError if a folder does not exist, no results are below the folders, none is readable,
/// or none matches the filter; the message suggests the nearest names.
History load_history(const HistoryRequest& request);

/// A change of the environment or of a kernel's text that coincides with a change of time.
struct ChangeCause {
  std::string name, before, after;
};

struct ExplainedChange {
  ChangePoint point;  ///< its index counts `timed`
  std::vector<ChangeCause> causes;
};

/// Verified times of a series and their analysis.
struct AnalysedSeries {
  const HistorySeries* series = nullptr;
  std::vector<HistoryPoint> timed;     ///< correct, verified and timed the same way as the newest
  std::vector<HistoryPoint> failures;  ///< HistoryPoint::is_failure()
  std::size_t unverified = 0;          ///< timed, but never compared with a reference
  std::size_t one_set = 0;             ///< of `timed`, verified on one set of inputs only
  std::size_t otherwise_timed =
      0;  ///< timed another way than the newest, such as cold instead of hot
  std::vector<SeriesPoint> values;  ///< of `timed`
  std::vector<ExplainedChange> changes;
  std::vector<Segment> segments;
  std::vector<bool> outliers;

  /// Time of the last change; -1 if there is none.
  std::int64_t last_change_ns() const noexcept;
};

/// Values that were constant in all runs before and another constant in all runs after, known on
/// both sides. The kernel's text comes first.
std::vector<ChangeCause> causes_between(const History& history,
                                        std::span<const HistoryPoint> before,
                                        std::span<const HistoryPoint> after);

/// Analyses all series on all cores. Series with recent changes come first, then those without a
/// change in the history's order.
std::vector<AnalysedSeries> analyse(const History& history);

struct HistoryTextOptions {
  TextFormat format;
  bool is_ascii = false;        ///< use ASCII sparklines
  std::size_t most_quiet = 20;  ///< maximum number of unchanged series shown
};

std::string history_table(const History& history, const std::vector<AnalysedSeries>& analysed,
                          const HistoryTextOptions& options);
/// All points, segments and changes.
std::string history_json(const History& history, const std::vector<AnalysedSeries>& analysed);

/// Up to `width` cells, each the median of its runs, on a logarithmic scale that covers at least 5
/// %.
std::string sparkline(std::span<const SeriesPoint> values, std::size_t width, bool is_ascii);

/// ASCII letters in lower case.
std::string in_lower_case(std::string_view text);

/// "2026-11-25" or "2026-11-25 21:43 UTC"; "-" if unknown.
std::string day_text(std::int64_t time_ns);
std::string minute_text(std::int64_t time_ns);
/// The inverse: `2026-11-25`, `2026-11-25T21:43`, `2026-11-25 21:43:10`, all of them UTC. Throws
/// SpecError.
std::int64_t parse_time(std::string_view text);

}  // namespace kernelbatch
