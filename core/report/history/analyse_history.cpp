// Change points of all series, and what changed in the environment at each.
#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/report/history/history.hpp"

namespace kernelbatch {
namespace {

/// Environment values that differ between runs without explaining times, or that only order the
/// runs.
constexpr std::array<std::string_view, 14> kExplainNothing{"argv",
                                                           "user",
                                                           "commit_time",
                                                           "branch",
                                                           "slurm_job_id",
                                                           "slurm_step_id",
                                                           "slurm_array_job_id",
                                                           "slurm_array_task_id",
                                                           "slurm_node",
                                                           "slurm_gpus",
                                                           "slurm_restart_count",
                                                           "cuda_visible_devices",
                                                           "gpu_pci",
                                                           "mig_parent_index"};

/// Order in which several simultaneous changes are reported.
constexpr std::array<std::string_view, 8> kToldFirst{"driver", "nvrtc",    "compiler", "source",
                                                     "host",   "gpu_uuid", "gpu_name", "commit"};

using TimedRuns = std::span<const HistoryPoint>;
using ValuesFound = std::set<std::string>;

/// "580.1", "580.1, 580.2", "580.1 and 3 others".
std::string some_of(const ValuesFound& values) {
  if (values.size() > 2)
    return *values.begin() + " and " + std::to_string(values.size() - 1) + " others";
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : ", ") + value;
  return text;
}

/// True if a value was constant before, different after, and known on both sides.
bool has_switched(const ValuesFound& before, const ValuesFound& after) {
  return before.size() == 1 && !after.empty() && !before.contains("") && !after.contains("") &&
         !after.contains(*before.begin());
}

class CauseFinder {
 public:
  CauseFinder(const History& history, TimedRuns before, TimedRuns after)
      : history_(history), before_(environments_of(before)), after_(environments_of(after)) {
    ValuesFound text_before, text_after;
    for (const HistoryPoint& point : before) text_before.insert(history.text(point.kernel_hash));
    for (const HistoryPoint& point : after) text_after.insert(history.text(point.kernel_hash));
    if (has_switched(text_before, text_after))
      causes_.push_back({"kernel text", text_before.begin()->substr(0, kHashLetters),
                         text_after.begin()->substr(0, kHashLetters)});
  }

  std::vector<ChangeCause> find() {
    for (const std::string_view name : kToldFirst) look_at(name);
    if (const auto known = history_.environments.find(*after_.begin());
        known != history_.environments.end())
      for (const auto& [name, value] : known->second)
        if (std::ranges::find(kToldFirst, name) == kToldFirst.end() &&
            std::ranges::find(kExplainNothing, name) == kExplainNothing.end())
          look_at(name);
    return std::move(causes_);
  }

 private:
  static constexpr std::size_t kHashLetters = 8;

  static std::set<std::int64_t> environments_of(TimedRuns runs) {
    std::set<std::int64_t> found;
    for (const HistoryPoint& point : runs) found.insert(point.environment);
    return found;
  }

  ValuesFound values_in(const std::set<std::int64_t>& environments, std::string_view name) const {
    ValuesFound values;
    for (const std::int64_t each : environments)
      values.insert(history_.environment_text(each, name));
    return values;
  }

  void look_at(std::string_view name) {
    const ValuesFound was = values_in(before_, name);
    if (was.size() != 1) return;
    const ValuesFound is = values_in(after_, name);
    if (has_switched(was, is)) causes_.push_back({std::string(name), some_of(was), some_of(is)});
  }

  const History& history_;
  std::set<std::int64_t> before_, after_;
  std::vector<ChangeCause> causes_;
};

void sort_points(AnalysedSeries& analysed) {
  const std::vector<HistoryPoint>& points = analysed.series->points;
  const auto newest = std::find_if(points.rbegin(), points.rend(),
                                   [](const HistoryPoint& p) { return p.is_timed(); });
  for (const HistoryPoint& point : points) {
    if (point.is_failure()) analysed.failures.push_back(point);
    if (!point.is_timed()) continue;
    if (!point.is_verified())
      ++analysed.unverified;
    else if (point.kind != newest->kind)
      ++analysed.otherwise_timed;
    else
      analysed.timed.push_back(point);
  }
  analysed.one_set = static_cast<std::size_t>(
      std::ranges::count(analysed.timed, Verification::kOneSet, &HistoryPoint::verification));
}

AnalysedSeries analyse_one(const History& history, const HistorySeries& series) {
  AnalysedSeries analysed;
  analysed.series = &series;
  sort_points(analysed);
  for (const HistoryPoint& point : analysed.timed)
    analysed.values.push_back({point.median, point.low, point.high});
  const std::vector<ChangePoint> found = find_change_points(analysed.values);
  analysed.segments = segments_of(analysed.values, found);
  analysed.outliers = outliers_of(analysed.values, found);
  const TimedRuns runs(analysed.timed);
  for (std::size_t k = 0; k < found.size(); ++k) {
    const Segment &before = analysed.segments[k], &after = analysed.segments[k + 1];
    analysed.changes.push_back(
        {found[k], causes_between(history, runs.subspan(before.begin, before.end - before.begin),
                                  runs.subspan(after.begin, after.end - after.begin))});
  }
  return analysed;
}

}  // namespace

std::vector<ChangeCause> causes_between(const History& history, TimedRuns before, TimedRuns after) {
  return before.empty() || after.empty() ? std::vector<ChangeCause>{}
                                         : CauseFinder(history, before, after).find();
}

std::int64_t AnalysedSeries::last_change_ns() const noexcept {
  return changes.empty() ? -1 : timed[changes.back().point.index].start_ns;
}

std::vector<AnalysedSeries> analyse(const History& history) {
  std::vector<AnalysedSeries> analysed(history.series.size());
  parallel_for(
      static_cast<std::int64_t>(analysed.size()), 1, [&](std::int64_t begin, std::int64_t end) {
        for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k)
          analysed[k] = analyse_one(history, history.series[k]);
      });
  std::ranges::stable_sort(analysed, [](const AnalysedSeries& a, const AnalysedSeries& b) {
    return a.last_change_ns() > b.last_change_ns();
  });
  return analysed;
}

}  // namespace kernelbatch
