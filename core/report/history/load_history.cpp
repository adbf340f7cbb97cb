// Loads series from folders through the index.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <tuple>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/report/history/history.hpp"
#include "core/report/history/history_index.hpp"
#include "core/report/history/point_order.hpp"
#include "core/result/json.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

namespace {

using history::FoundPlaces;
using history::HistoryIndex;
using history::IndexedPoint;
using history::IndexedSeries;

bool is_wanted(const history::SeriesName& name, const HistoryFilter& filter) {
  return (filter.workload.empty() || name.workload == filter.workload) &&
         (filter.variant.empty() || name.variant == filter.variant) &&
         in_lower_case(name.device).find(in_lower_case(filter.device)) != std::string::npos;
}

/// An index whose texts are not the stored ones is damaged.
NamedValues values_in_index(const std::string& json) {
  try {
    return values_from_json(json);
  } catch (const StoreError& error) {
    throw history::SqliteError(error.what(), true);
  }
}

HistoryPoint point_of(const IndexedPoint& p) {
  return {p.place,        p.environment, p.job,      p.case_id, p.kernel_hash, p.reason, p.status,
          p.verification, p.kind,        p.start_ns, p.median,  p.low,         p.high};
}

class HistoryLoader {
 public:
  HistoryLoader(const HistoryRequest& request, const FoundPlaces& found, HistoryIndex& index)
      : request_(request), found_(found), index_(index) {}

  History load() {
    const history::IndexUpdate update = index_.update(found_);
    history_.problems = found_.problems;
    history_.problems.insert(history_.problems.end(), update.problems.begin(),
                             update.problems.end());
    history_.left_out = update.unread_paths.size();
    for (const history::ResultPlace& place : found_.places) history_.files.push_back(place.path);
    index_.begin_reading(found_);
    const std::vector<IndexedSeries> all = index_.series();
    for (const IndexedSeries& series : all)
      if (is_wanted(series.name, request_.filter)) add(series);
    if (history_.series.empty()) fail_empty(all);
    for (const IndexedPoint& each : index_.latest()) {
      keep_environment(each.environment);
      keep_text(each.job);
      history_.latest.push_back(point_of(each));
    }
    note_order();
    return std::move(history_);
  }

 private:
  const std::string& keep_text(std::int64_t id) {
    const auto [found, is_new] = history_.texts.try_emplace(id);
    if (is_new && id >= 0) found->second = index_.text(id);
    return found->second;
  }

  void keep_environment(std::int64_t id) {
    const auto [found, is_new] = history_.environments.try_emplace(id);
    if (!is_new) return;
    history_.ranks[id] = -1;
    if (id < 0) return;
    found->second = values_in_index(index_.text(id));
    const std::string commit = history_.environment_text(id, "commit");
    history_.ranks[id] = history::rank_of_commit(commit, request_.commits);
  }

  bool is_wanted_point(const IndexedPoint& point) {
    return point.start_ns >= request_.filter.since_ns &&
           (request_.filter.case_id.empty() ||
            keep_text(point.case_id).starts_with(request_.filter.case_id));
  }

  void add(const IndexedSeries& indexed) {
    std::vector<IndexedPoint> points = index_.points(indexed.id);
    std::erase_if(points, [&](const IndexedPoint& point) { return !is_wanted_point(point); });
    if (points.empty()) return;
    std::vector<history::Moment> moments;
    for (const IndexedPoint& point : points) {
      keep_environment(point.environment);
      moments.push_back({point.start_ns, history_.ranks[point.environment]});
    }
    const history::SeriesName& name = indexed.name;
    HistorySeries series{
        name.workload, name.variant, name.device, values_in_index(name.params), name.ordinal, {}};
    // Copies of a file, and merged files, repeat the same results.
    std::set<std::tuple<std::int64_t, Status, double>> seen;
    for (const std::size_t k : history::order_of_moments(moments)) {
      const IndexedPoint& p = points[k];
      if (p.start_ns >= 0 &&
          !seen.emplace(p.start_ns, p.status, p.median > 0 ? p.median : 0).second)
        continue;
      for (const std::int64_t id : {p.job, p.case_id, p.kernel_hash, p.reason}) keep_text(id);
      series.points.push_back(point_of(p));
    }
    history_.series.push_back(std::move(series));
  }

  void note_order() {
    if (request_.commits.empty()) return;
    const auto unlisted = std::ranges::count_if(
        history_.environments, [&](const auto& row) { return history_.ranks[row.first] < 0; });
    if (unlisted > 0)
      history_.notes.push_back(
          fmt::format("{} of {} environments have no commit that is listed: their runs are "
                      "ordered by time",
                      unlisted, history_.environments.size()));
  }

  [[noreturn]] void fail_empty(const std::vector<IndexedSeries>& all) const {
    const HistoryFilter& filter = request_.filter;
    std::set<std::string> workloads, variants, devices;
    for (const IndexedSeries& series : all) {
      workloads.insert(series.name.workload);
      variants.insert(series.name.variant);
      devices.insert(series.name.device);
    }
    const auto list = [](const std::set<std::string>& names) {
      return std::vector<std::string>(names.begin(), names.end());
    };
    const std::string where = fmt::format("'{}'", join(request_.folders, "', '"));
    if (all.empty())
      throw SpecError(fmt::format(
          "none of the {} files below {} holds a result that can be read{}", found_.places.size(),
          where, history_.problems.empty() ? "" : ": " + history_.problems.front()));
    if (!filter.workload.empty() && !workloads.contains(filter.workload))
      throw SpecError(fmt::format("below {} there is no workload '{}'{}", where, filter.workload,
                                  suggestion(filter.workload, list(workloads))));
    if (!filter.variant.empty() && !variants.contains(filter.variant))
      throw SpecError(fmt::format("below {} there is no variant '{}'{}", where, filter.variant,
                                  suggestion(filter.variant, list(variants))));
    if (std::ranges::none_of(devices, [&](const std::string& device) {
          return in_lower_case(device).find(in_lower_case(filter.device)) != std::string::npos;
        }))
      throw SpecError(fmt::format("below {} no device's name has '{}'{}", where, filter.device,
                                  suggestion(filter.device, list(devices))));
    throw SpecError(fmt::format("below {} no result has all that was asked for", where));
  }

  const HistoryRequest& request_;
  const FoundPlaces& found_;
  HistoryIndex& index_;
  History history_;
};

/// Uses the index on disk, rebuilds it if it is damaged, and falls back to one in memory.
History load_by_index(const HistoryRequest& request, const FoundPlaces& found) {
  const fs::path path = history::index_path(found.roots);
  std::vector<std::string> notes;
  const auto attempt = [&](const fs::path& at) {
    HistoryIndex index(at);
    History history = HistoryLoader(request, found, index).load();
    history.notes.insert(history.notes.begin(), notes.begin(), notes.end());
    return history;
  };
  try {
    return attempt(path);
  } catch (const history::SqliteError& error) {
    if (path.empty()) throw StoreError(fmt::format("no index can be created: {}", error.what()));
    notes.push_back(fmt::format(
        "the index '{}' {}: {}", path.string(),
        error.is_damaged() ? "was damaged and is rebuilt" : "cannot be used, all files are read",
        error.what()));
    try {
      if (error.is_damaged()) history::remove_damaged_index(path);
      return attempt(error.is_damaged() ? path : fs::path());
    } catch (const history::SqliteError& again) {
      notes.push_back(fmt::format("it cannot be rebuilt: {}", again.what()));
    }
  }
  return attempt({});
}

}  // namespace

std::string in_lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

const std::string& History::text(std::int64_t id) const {
  static const std::string kNone;
  const auto found = texts.find(id);
  return found == texts.end() ? kNone : found->second;
}

std::string History::environment_text(std::int64_t environment, std::string_view name) const {
  const auto found = environments.find(environment);
  if (found == environments.end()) return "";
  const Value* value = find_value(found->second, name);
  return value == nullptr ? "" : to_text(*value);
}

std::size_t History::runs() const {
  std::set<std::size_t> seen;
  for (const HistorySeries& each : series)
    for (const HistoryPoint& point : each.points) seen.insert(point.file);
  return seen.size();
}

History load_history(const HistoryRequest& request) {
  const FoundPlaces found = history::find_places(request.folders);
  if (found.places.empty())
    throw SpecError(fmt::format("below '{}' there is no result file (*.h5){}",
                                join(request.folders, "', '"),
                                found.problems.empty() ? "" : ": " + found.problems.front()));
  return load_by_index(request, found);
}

}  // namespace kernelbatch
