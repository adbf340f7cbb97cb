// Queries of an index.
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <tuple>

#include "core/report/history/index_statements.hpp"
#include "core/result/shard_files.hpp"

namespace kernelbatch::history {
namespace {

/// Enumerator of a stored number.
template <class E>
E enumerated(std::int64_t value, std::int64_t count) {
  if (value < 0 || value >= count) throw SqliteError("a row has an unknown code", true);
  return static_cast<E>(value);
}

constexpr std::int64_t kSampleKinds = 3;

}  // namespace

std::int64_t PointRow::sum() const noexcept {
  std::uint64_t words[15];
  std::memcpy(words, numbers, sizeof numbers);
  for (int k = 0; k < 3; ++k)
    words[12 + k] = std::isnan(times[k]) ? 0x7ff8u : std::bit_cast<std::uint64_t>(times[k]);
  return static_cast<std::int64_t>(XXH3_64bits(words, sizeof words));
}

PointRow point_of_row(const SqliteStatement& row) {
  PointRow point{};
  for (int k = 0; k < 12; ++k) point.numbers[k] = row.integer(k);
  for (int k = 0; k < 3; ++k) point.times[k] = row.real(12 + k);
  if (row.integer(15) != point.sum()) throw SqliteError("a row does not have its checksum", true);
  return point;
}

void HistoryIndex::begin_reading(const FoundPlaces& found) {
  reading_.reset();
  reading_ = std::make_unique<SqliteTransaction>(database_, SqliteTransaction::Kind::kRead);
  require_same_tables();
  const auto known = known_places();
  place_of_file_.clear();
  for (std::size_t k = 0; k < found.places.size(); ++k)
    if (const auto row = known.find(stored_path(found.places[k].path)); row != known.end())
      place_of_file_[row->second.first] = k;
}

std::vector<IndexedSeries> HistoryIndex::series() {
  std::vector<IndexedSeries> all;
  SqliteStatement rows(database_,
                       fmt::format("SELECT id, workload, variant, params, device, ordinal FROM {}"
                                   " ORDER BY key",
                                   kSeriesRows));
  while (rows.step())
    all.push_back({rows.integer(0),
                   {rows.text(1), rows.text(2), rows.text(3), rows.text(4), rows.integer(5)}});
  std::ranges::stable_sort(all, [](const IndexedSeries& x, const IndexedSeries& y) {
    const SeriesName &a = x.name, &b = y.name;
    if (a.workload != b.workload) return a.workload < b.workload;
    if (a.params != b.params) return comes_before(a.params, b.params);
    return std::tie(a.ordinal, a.device, a.variant) < std::tie(b.ordinal, b.device, b.variant);
  });
  return all;
}

std::vector<IndexedPoint> HistoryIndex::points(std::int64_t series) {
  std::vector<IndexedPoint> points;
  SqliteStatement& row = statements_->points;
  row.bind(1, series);
  while (row.step()) {
    const PointRow point = point_of_row(row);
    const auto& of = point.numbers;
    const auto place = place_of_file_.find(of[1]);
    if (place == place_of_file_.end()) continue;
    points.push_back({place->second, of[3], of[4], of[5], of[6], of[7],
                      enumerated<Status>(of[8], kStatusCount),
                      enumerated<Verification>(of[9], kVerificationCount),
                      enumerated<SampleKind>(of[10], kSampleKinds), of[11], point.times[0],
                      point.times[1], point.times[2]});
  }
  row.reset();
  std::ranges::stable_sort(points, {}, &IndexedPoint::place);
  return points;
}

std::vector<IndexedPoint> HistoryIndex::latest() {
  std::vector<IndexedPoint> latest;
  SqliteStatement row(database_,
                      fmt::format("SELECT file, job, environment, start FROM {}", kLatestRows));
  while (row.step()) {
    const auto place = place_of_file_.find(row.integer(0));
    if (place == place_of_file_.end()) continue;
    IndexedPoint point;
    point.place = place->second;
    point.job = row.integer(1);
    point.environment = row.integer(2);
    point.start_ns = row.integer(3);
    latest.push_back(point);
  }
  return latest;
}

std::string HistoryIndex::text(std::int64_t id) {
  SqliteStatement& row = statements_->text_of;
  std::string text;
  const bool is_there = row.bind(1, id).step();
  if (is_there) text = row.text(0);
  row.reset();
  if (!is_there) throw SqliteError("a text is missing", true);
  return text;
}

}  // namespace kernelbatch::history
