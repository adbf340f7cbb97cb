// RAII wrappers of SQLite's C interface: database, prepared statement, transaction.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/base/unique_handle.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace kernelbatch::history {

namespace detail {
void close_database(sqlite3* database) noexcept;
void close_statement(sqlite3_stmt* statement) noexcept;
}  // namespace detail

/// A failed SQLite call.
class SqliteError : public std::runtime_error {
 public:
  SqliteError(const std::string& message, bool is_damaged)
      : std::runtime_error(message), is_damaged_(is_damaged) {}
  /// True if the file is not a valid database.
  bool is_damaged() const noexcept { return is_damaged_; }

 private:
  bool is_damaged_;
};

class SqliteDatabase {
 public:
  /// Creates the file if it is missing; an empty path is a database in memory. Links are not
  /// followed. A wait for another process ends after a minute. Throws SqliteError, as do all
  /// members below.
  explicit SqliteDatabase(const std::filesystem::path& path);

  void execute(const std::string& sql);
  std::int64_t user_version();
  sqlite3* get() const noexcept { return handle_.get(); }

 private:
  UniqueHandle<sqlite3*, detail::close_database> handle_;
};

/// In statements, `row_sum(a, b, …)` is a checksum of values, and `is_whole(sum, a, b, …)` is true
/// if `sum` matches; otherwise the statement fails as on a damaged file. SQLite databases have no
/// checksums of their own.
///
/// `while (statement.step()) …` iterates over the rows; reset() allows new values.
class SqliteStatement {
 public:
  SqliteStatement(SqliteDatabase& database, std::string_view sql);

  /// Parameters are numbered from 1. Values are bound, never part of the text. NaN is stored as
  /// NULL.
  SqliteStatement& bind(int parameter, std::int64_t value);
  SqliteStatement& bind(int parameter, double value);
  SqliteStatement& bind(int parameter, std::string_view value);

  bool step();
  /// Steps to the end and resets.
  void run();
  void reset();

  /// Columns are numbered from 0. NULL is 0, NaN, or empty text.
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;

 private:
  void check(int code) const;

  sqlite3* database_;
  UniqueHandle<sqlite3_stmt*, detail::close_statement> handle_;
};

/// Rolled back by the destructor unless committed.
class SqliteTransaction {
 public:
  enum class Kind : bool { kRead, kWrite };

  SqliteTransaction(SqliteDatabase& database, Kind kind);
  SqliteTransaction(const SqliteTransaction&) = delete;
  SqliteTransaction& operator=(const SqliteTransaction&) = delete;
  ~SqliteTransaction();
  void commit();

 private:
  SqliteDatabase* database_;
};

}  // namespace kernelbatch::history
