// Updates an index from the result files.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "core/base/error.hpp"
#include "core/report/history/index_statements.hpp"

namespace kernelbatch::history {
namespace fs = std::filesystem;

namespace {

/// Number of places read and then stored in one transaction: SQLite stores 16,000 results quickly.
constexpr std::size_t kPlacesAtOnce = 16;

/// Content of a place; if it is unreadable, std::nullopt and a sentence in `update`.
std::optional<PlaceContent> read_or_tell(const ResultPlace& place, IndexUpdate& update) {
  try {
    PlaceContent content = read_place(place.path);
    update.problems.insert(update.problems.end(), content.problems.begin(), content.problems.end());
    return content;
  } catch (const Error& error) {
    const std::string path = place.path.string(), reason = error.what();
    update.problems.push_back(
        reason.find(path) == std::string::npos ? fmt::format("'{}': {}", path, reason) : reason);
    update.unread_paths.push_back(path);
    return std::nullopt;
  }
}

}  // namespace

std::map<std::string, std::pair<std::int64_t, std::string>> HistoryIndex::known_places() {
  std::map<std::string, std::pair<std::int64_t, std::string>> known;
  SqliteStatement files(database_, fmt::format("SELECT path, id, signature FROM {}", kFilesRows));
  while (files.step()) known[files.text(0)] = {files.integer(1), files.text(2)};
  return known;
}

IndexUpdate HistoryIndex::update(const FoundPlaces& found) {
  IndexUpdate update;
  update.removed = remove_missing(found);
  const auto known = known_places();
  std::vector<const ResultPlace*> stale;
  for (const ResultPlace& place : found.places) {
    const auto row = known.find(stored_path(place.path));
    if (row == known.end() || row->second.second != place.signature) stale.push_back(&place);
  }
  for (std::size_t begin = 0; begin < stale.size(); begin += kPlacesAtOnce) {
    const std::size_t end = std::min(begin + kPlacesAtOnce, stale.size());
    std::vector<std::pair<const ResultPlace*, PlaceContent>> contents;
    for (std::size_t k = begin; k < end; ++k) {
      // An unreadable place is stored empty and without a signature, so that it is tried again.
      auto content = read_or_tell(*stale[k], update);
      contents.emplace_back(stale[k], content ? std::move(*content) : PlaceContent{});
      update.read += content ? 1 : 0;
    }
    SqliteTransaction transaction(database_, SqliteTransaction::Kind::kWrite);
    require_same_tables();
    for (const auto& [place, content] : contents) {
      const bool is_whole =
          content.problems.empty() &&
          std::ranges::find(update.unread_paths, place->path.string()) == update.unread_paths.end();
      store({place->path, is_whole ? place->signature : ""}, content);
    }
    transaction.commit();
  }
  return update;
}

std::int64_t HistoryIndex::remove_missing(const FoundPlaces& found) {
  std::set<std::string> there;
  for (const ResultPlace& place : found.places) there.insert(stored_path(place.path));
  std::vector<std::int64_t> gone;
  for (const auto& [path, row] : known_places()) {
    const fs::path whole = fs::path(path).is_absolute() ? fs::path(path) : folder_ / path;
    if (!there.contains(path) && std::ranges::any_of(found.roots, [&](const fs::path& root) {
          return is_below(whole, root);
        }))
      gone.push_back(row.first);
  }
  if (gone.empty()) return 0;
  SqliteTransaction transaction(database_, SqliteTransaction::Kind::kWrite);
  require_same_tables();
  for (const std::int64_t file : gone) statements_->remove(file);
  transaction.commit();
  return static_cast<std::int64_t>(gone.size());
}

std::int64_t HistoryIndex::id_of_text(std::string_view text) {
  if (text.empty()) return -1;
  if (const auto known = texts_.find(text); known != texts_.end()) return known->second;
  Statements& all = *statements_;
  std::int64_t id = -1;
  if (all.text.bind(1, text).step()) id = all.text.integer(0);
  all.text.reset();
  if (id < 0 && all.add_text.bind(1, text).step()) id = all.add_text.integer(0);
  all.add_text.reset();
  return texts_[std::string(text)] = id;
}

std::int64_t HistoryIndex::id_of_series(const StoredPoint& point) {
  if (const auto known = series_.find(point.key); known != series_.end()) return known->second;
  Statements& all = *statements_;
  std::int64_t id = -1;
  if (all.series.bind(1, std::string_view(point.key)).step()) id = all.series.integer(0);
  all.series.reset();
  if (id < 0) {
    const SeriesName& name = point.name;
    SqliteStatement& add = all.add_series;
    add.bind(1, std::string_view(point.key)).bind(2, std::string_view(name.workload));
    add.bind(3, std::string_view(name.variant)).bind(4, std::string_view(name.params));
    add.bind(5, std::string_view(name.device)).bind(6, name.ordinal);
    if (add.step()) id = add.integer(0);
    add.reset();
  }
  return series_[point.key] = id;
}

void HistoryIndex::store(const ResultPlace& place, const PlaceContent& content) {
  Statements& all = *statements_;
  const std::string path = stored_path(place.path);
  std::int64_t file = -1;
  std::string signature;
  if (all.file.bind(1, std::string_view(path)).step()) {
    file = all.file.integer(0);
    signature = all.file.text(1);
  }
  all.file.reset();
  // Another process has already read it.
  if (file >= 0 && !signature.empty() && signature == place.signature) return;
  if (file >= 0) statements_->remove(file);
  all.add_file.bind(1, std::string_view(path)).bind(2, std::string_view(place.signature)).step();
  file = all.add_file.integer(0);
  all.add_file.reset();
  all.sum_file.bind(1, file).run();
  store_points(file, content);
}

void HistoryIndex::store_points(std::int64_t file, const PlaceContent& content) {
  std::vector<std::int64_t> environments;
  for (const std::string& text : content.environments) environments.push_back(id_of_text(text));
  std::int64_t number = 0;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> latest;
  SqliteStatement& add = statements_->add_point;
  for (const StoredPoint& point : content.points) {
    const std::int64_t job = id_of_text(point.job);
    const std::int64_t environment =
        point.environment < 0 ? -1 : environments[static_cast<std::size_t>(point.environment)];
    std::int64_t& last = latest.try_emplace({job, environment}, point.start_ns).first->second;
    last = std::max(last, point.start_ns);
    const PointRow row{
        {id_of_series(point), file, number++, environment, job, id_of_text(point.case_id),
         id_of_text(point.kernel_hash), id_of_text(point.reason),
         static_cast<std::int64_t>(point.status), static_cast<std::int64_t>(point.verification),
         static_cast<std::int64_t>(point.kind), point.start_ns},
        {point.median, point.low, point.high}};
    for (int k = 0; k < 12; ++k) add.bind(k + 1, row.numbers[k]);
    for (int k = 0; k < 3; ++k) add.bind(13 + k, row.times[k]);
    add.bind(16, row.sum()).run();
  }
  for (const auto& [of, start] : latest)
    statements_->add_latest.bind(1, file).bind(2, of.first).bind(3, of.second).bind(4, start).run();
}

}  // namespace kernelbatch::history
