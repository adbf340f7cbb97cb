// The statements that an index runs again and again.
#pragma once

#include "core/report/history/history_index.hpp"

namespace kernelbatch::history {

/// What is done for each result, prepared once.
struct HistoryIndex::Statements {
  explicit Statements(SqliteDatabase& database)
      : text(database, "SELECT id FROM texts WHERE text = ?"),
        add_text(database, "INSERT INTO texts (text) VALUES (?) RETURNING id"),
        series(database, "SELECT id FROM series WHERE key = ?"),
        add_series(database,
                   "INSERT INTO series (key, workload, variant, params, device, ordinal)"
                   " VALUES (?, ?, ?, ?, ?, ?) RETURNING id"),
        file(database, "SELECT id, signature FROM files WHERE path = ?"),
        remove_points(database, "DELETE FROM points WHERE file = ?"),
        remove_latest(database, "DELETE FROM latest WHERE file = ?"),
        add_latest(database, "INSERT INTO latest VALUES (?, ?, ?, ?)"),
        remove_file(database, "DELETE FROM files WHERE id = ?"),
        add_file(database, "INSERT INTO files (path, signature) VALUES (?, ?) RETURNING id"),
        add_point(database,
                  "INSERT INTO points VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
        points(database,
               "SELECT file, environment, job, case_id, kernel_hash, reason, status, verified,"
               " kind, start, median, low, high FROM points WHERE series = ?"
               " ORDER BY file, number"),
        text_of(database, "SELECT text FROM texts WHERE id = ?") {}

  SqliteStatement text, add_text, series, add_series, file, remove_points, remove_latest,
      add_latest, remove_file, add_file, add_point, points, text_of;
};

}  // namespace kernelbatch::history
