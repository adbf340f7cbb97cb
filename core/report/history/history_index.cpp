#include "core/report/history/history_index.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

#include "core/base/cache_folder.hpp"
#include "core/base/file.hpp"
#include "core/base/file_lock.hpp"
#include "core/base/text.hpp"
#include "core/report/history/index_statements.hpp"

namespace kernelbatch::history {
namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds kLockPatience{60};

constexpr const char* kTables =
    "CREATE TABLE generation (value TEXT NOT NULL);"
    "INSERT INTO generation VALUES (lower(hex(randomblob(16))));"
    "CREATE TABLE files (id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL UNIQUE,"
    " signature TEXT NOT NULL, sum INTEGER);"
    "CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, sum INTEGER);"
    "CREATE TABLE series (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE,"
    " workload TEXT NOT NULL, variant TEXT NOT NULL, params TEXT NOT NULL, device TEXT NOT NULL,"
    " ordinal INTEGER NOT NULL, sum INTEGER);"
    "CREATE TABLE points (series INTEGER, file INTEGER, number INTEGER, environment INTEGER,"
    " job INTEGER, case_id INTEGER, kernel_hash INTEGER, reason INTEGER, status INTEGER,"
    " verification INTEGER, kind INTEGER, start INTEGER, median REAL, low REAL, high REAL, sum "
    "INTEGER,"
    " PRIMARY KEY (series, file, number)) WITHOUT ROWID;"
    "CREATE TABLE latest (file INTEGER, job INTEGER, environment INTEGER, start INTEGER, sum "
    "INTEGER,"
    " PRIMARY KEY (file, job, environment)) WITHOUT ROWID;"
    "CREATE INDEX points_of_file ON points (file);";

std::string quoted(const std::string& identifier) {
  std::string text = "\"";
  for (const char c : identifier) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

void drop_tables(SqliteDatabase& database) {
  std::vector<std::string> names;
  {
    SqliteStatement tables(database,
                           "SELECT name FROM sqlite_master WHERE type = 'table'"
                           " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'");
    while (tables.step()) names.push_back(tables.text(0));
  }
  for (const std::string& name : names) database.execute("DROP TABLE " + quoted(name));
}

/// True if all rows match their checksums, or if the index is empty, which another process may
/// fill.
bool has_whole_rows(SqliteDatabase& database) {
  if (database.user_version() != kIndexVersion) return true;
  for (const std::string_view table : {kFilesRows, kTextsRows, kSeriesRows, kLatestRows}) {
    SqliteStatement rows(database, fmt::format("SELECT count(*) FROM {}", table));
    rows.step();
  }
  SqliteStatement points(database, fmt::format("SELECT {} FROM points", kPointColumns));
  while (points.step()) (void)point_of_row(points);
  return true;
}

}  // namespace

fs::path index_path(std::span<const fs::path> roots) {
  if (roots.empty()) return {};
  std::error_code error;
  // A shard folder is deleted by the merge.
  const bool is_own = fs::is_directory(roots.front(), error) && !is_shard_folder(roots.front());
  const fs::path folder = is_own ? roots.front() : roots.front().parent_path();
  fs::path beside = folder / kIndexName;
  const bool is_others = fs::exists(beside, error) && ::access(beside.c_str(), W_OK) != 0;
  if (!is_others && ::access(folder.c_str(), W_OK | X_OK) == 0) return beside;
  const auto cache = cache_folder();
  if (!cache) return {};
  make_own_folder(*cache / "history");
  const fs::path kept = fs::canonical(*cache / "history", error);
  if (error || ::access(kept.c_str(), W_OK | X_OK) != 0) return {};
  return kept / (hash_hex(folder.string()) + ".sqlite");
}

HistoryIndex::HistoryIndex(const fs::path& path) : folder_(path.parent_path()), database_(path) {
  prepare_tables();
  statements_ = std::make_unique<Statements>(database_);
  SqliteStatement generation(database_, "SELECT value FROM generation");
  if (generation.step()) generation_ = generation.text(0);
}

HistoryIndex::~HistoryIndex() { reading_.reset(); }

void HistoryIndex::prepare_tables() {
  if (database_.user_version() == kIndexVersion) return;
  SqliteTransaction transaction(database_, SqliteTransaction::Kind::kWrite);
  // Another process may have done it already.
  if (database_.user_version() != kIndexVersion) {
    drop_tables(database_);
    database_.execute(kTables);
    database_.execute(fmt::format("PRAGMA user_version={}", kIndexVersion));
  }
  transaction.commit();
}

void HistoryIndex::require_same_tables() {
  SqliteStatement generation(database_, "SELECT value FROM generation");
  if (!generation.step() || generation.text(0) != generation_)
    throw SqliteError("another process has rebuilt the index", false);
}

std::string HistoryIndex::stored_path(const fs::path& path) const {
  return is_below(path, folder_) && !folder_.empty() ? path.lexically_relative(folder_).string()
                                                     : path.string();
}

void remove_damaged_index(const fs::path& path) {
  if (path.empty()) return;
  const FileLock lock(path.string() + ".lock", kLockPatience);
  try {
    SqliteDatabase database(path);
    SqliteStatement check(database, "PRAGMA quick_check");
    if (check.step() && check.text(0) == "ok" && has_whole_rows(database)) return;
  } catch (const SqliteError& error) {
    if (!error.is_damaged()) throw;
  }
  std::error_code ignored;
  for (const char* suffix : {"-journal", "-wal", "-shm", ""})
    fs::remove(path.string() + suffix, ignored);
}

}  // namespace kernelbatch::history
