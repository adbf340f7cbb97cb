// Prepared statements of an index.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

#include "core/report/history/history_index.hpp"

namespace kernelbatch::history {

// Tables with the condition that a row matches its checksum.
inline constexpr std::string_view
    kFilesRows = "files WHERE is_whole(sum, id, path, signature)",
    kTextsRows = "texts WHERE is_whole(sum, id, text)",
    kSeriesRows = "series WHERE is_whole(sum, id, key, workload, variant, params, device, ordinal)",
    kLatestRows = "latest WHERE is_whole(sum, file, job, environment, start)";
/// Points are numerous, so point_of_row() and store_points() compute their checksums in C++.
inline constexpr std::string_view kPointColumns =
    "series, file, number, environment, job, case_id, kernel_hash, reason, status, verification,"
    " kind, start, median, low, high, sum";

struct PointRow {
  std::int64_t numbers[12];  ///< `series` to `start`
  double times[3];           ///< `median`, `low`, `high`
  std::int64_t sum() const noexcept;
};
/// Reads a row with kPointColumns. Throws SqliteError if its checksum does not match.
PointRow point_of_row(const SqliteStatement& row);

/// Statements that run for each result, prepared once.
struct HistoryIndex::Statements {
  explicit Statements(SqliteDatabase& database)
      : text(database, fmt::format("SELECT id FROM {} AND text = ?", kTextsRows)),
        add_text(database,
                 "INSERT INTO texts SELECT id, ?1, row_sum(id, ?1)"
                 " FROM (SELECT coalesce(max(id), 0) + 1 AS id FROM texts) RETURNING id"),
        series(database, fmt::format("SELECT id FROM {} AND key = ?", kSeriesRows)),
        add_series(database,
                   "INSERT INTO series SELECT id, ?1, ?2, ?3, ?4, ?5, ?6,"
                   " row_sum(id, ?1, ?2, ?3, ?4, ?5, ?6)"
                   " FROM (SELECT coalesce(max(id), 0) + 1 AS id FROM series) RETURNING id"),
        file(database, fmt::format("SELECT id, signature FROM {} AND path = ?", kFilesRows)),
        remove_points(database, "DELETE FROM points WHERE file = ?"),
        remove_latest(database, "DELETE FROM latest WHERE file = ?"),
        add_latest(database, "INSERT INTO latest VALUES (?1, ?2, ?3, ?4, row_sum(?1, ?2, ?3, ?4))"),
        remove_file(database, "DELETE FROM files WHERE id = ?"),
        add_file(database, "INSERT INTO files (path, signature) VALUES (?, ?) RETURNING id"),
        sum_file(database, "UPDATE files SET sum = row_sum(id, path, signature) WHERE id = ?"),
        add_point(database,
                  "INSERT INTO points VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
        points(database, fmt::format("SELECT {} FROM points WHERE series = ? ORDER BY file, number",
                                     kPointColumns)),
        text_of(database, fmt::format("SELECT text FROM {} AND id = ?", kTextsRows)) {}

  void remove(std::int64_t removed) {
    for (SqliteStatement* statement : {&remove_points, &remove_latest, &remove_file})
      statement->bind(1, removed).run();
  }

  SqliteStatement text, add_text, series, add_series, file, remove_points, remove_latest,
      add_latest, remove_file, add_file, sum_file, add_point, points, text_of;
};

}  // namespace kernelbatch::history
