#include "core/report/history/sqlite.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <xxhash.h>

#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "core/base/text.hpp"

namespace kernelbatch::history {
namespace {

constexpr int kPatienceMs = 60'000;

[[noreturn]] void fail_with(sqlite3* database, int code) {
  const int kind = code & 0xff;
  throw SqliteError(database != nullptr ? ::sqlite3_errmsg(database) : ::sqlite3_errstr(code),
                    kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB);
}

void require_ok(sqlite3* database, int code) {
  if (code != SQLITE_OK) fail_with(database, code);
}

/// Checksum of the values' types and texts, each with its length.
std::int64_t sum_of(std::span<sqlite3_value*> values) {
  std::string text;
  for (sqlite3_value* value : values) {
    text += static_cast<char>('0' + ::sqlite3_value_type(value));
    const auto* begin = reinterpret_cast<const char*>(::sqlite3_value_text(value));
    append_sized(text, begin == nullptr
                           ? std::string_view()
                           : std::string_view(
                                 begin, static_cast<std::size_t>(::sqlite3_value_bytes(value))));
  }
  return static_cast<std::int64_t>(XXH3_64bits(text.data(), text.size()));
}

void row_sum(sqlite3_context* context, int count, sqlite3_value** values) {
  ::sqlite3_result_int64(context, sum_of({values, static_cast<std::size_t>(count)}));
}

void is_whole(sqlite3_context* context, int count, sqlite3_value** values) {
  const std::span<sqlite3_value*> all(values, static_cast<std::size_t>(count));
  if (count > 0 && sum_of(all.subspan(1)) == ::sqlite3_value_int64(all.front()))
    return ::sqlite3_result_int(context, 1);
  ::sqlite3_result_error(context, "a row does not have its checksum", -1);
  ::sqlite3_result_error_code(context, SQLITE_CORRUPT);
}

}  // namespace

namespace detail {
void close_database(sqlite3* database) noexcept { ::sqlite3_close_v2(database); }
void close_statement(sqlite3_stmt* statement) noexcept { ::sqlite3_finalize(statement); }
}  // namespace detail

SqliteDatabase::SqliteDatabase(const std::filesystem::path& path) {
  sqlite3* opened = nullptr;
  const int code =
      ::sqlite3_open_v2(path.empty() ? ":memory:" : path.c_str(), &opened,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW, nullptr);
  handle_ = UniqueHandle<sqlite3*, detail::close_database>(opened);
  require_ok(opened, code);
  require_ok(opened, ::sqlite3_busy_timeout(opened, kPatienceMs));
  constexpr int kPure = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
  using Function = void (*)(sqlite3_context*, int, sqlite3_value**);
  const std::pair<const char*, Function> functions[] = {{"row_sum", row_sum},
                                                        {"is_whole", is_whole}};
  for (const auto& [name, function] : functions)
    require_ok(opened, ::sqlite3_create_function(opened, name, -1, kPure, nullptr, function,
                                                 nullptr, nullptr));
  // The file may be from an untrusted source. A rollback journal also works on network file
  // systems; a write-ahead log does not.
  execute("PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA cache_size=-65536");
}

void SqliteDatabase::execute(const std::string& sql) {
  require_ok(get(), ::sqlite3_exec(get(), sql.c_str(), nullptr, nullptr, nullptr));
}

std::int64_t SqliteDatabase::user_version() {
  SqliteStatement statement(*this, "PRAGMA user_version");
  return statement.step() ? statement.integer(0) : 0;
}

SqliteStatement::SqliteStatement(SqliteDatabase& database, std::string_view sql)
    : database_(database.get()) {
  sqlite3_stmt* prepared = nullptr;
  const int code =
      ::sqlite3_prepare_v2(database_, sql.data(), static_cast<int>(sql.size()), &prepared, nullptr);
  handle_ = UniqueHandle<sqlite3_stmt*, detail::close_statement>(prepared);
  check(code);
}

void SqliteStatement::check(int code) const { require_ok(database_, code); }

SqliteStatement& SqliteStatement::bind(int parameter, std::int64_t value) {
  check(::sqlite3_bind_int64(handle_.get(), parameter, value));
  return *this;
}

SqliteStatement& SqliteStatement::bind(int parameter, double value) {
  check(std::isnan(value) ? ::sqlite3_bind_null(handle_.get(), parameter)
                          : ::sqlite3_bind_double(handle_.get(), parameter, value));
  return *this;
}

SqliteStatement& SqliteStatement::bind(int parameter, std::string_view value) {
  check(::sqlite3_bind_text64(handle_.get(), parameter, value.data(), value.size(),
                              SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

bool SqliteStatement::step() {
  const int code = ::sqlite3_step(handle_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) fail_with(database_, code);
  return false;
}

void SqliteStatement::run() {
  while (step()) {
  }
  reset();
}

void SqliteStatement::reset() { check(::sqlite3_reset(handle_.get())); }

std::int64_t SqliteStatement::integer(int column) const {
  return ::sqlite3_column_int64(handle_.get(), column);
}

double SqliteStatement::real(int column) const {
  return ::sqlite3_column_type(handle_.get(), column) == SQLITE_NULL
             ? std::numeric_limits<double>::quiet_NaN()
             : ::sqlite3_column_double(handle_.get(), column);
}

std::string SqliteStatement::text(int column) const {
  const unsigned char* text = ::sqlite3_column_text(handle_.get(), column);
  if (text == nullptr) return "";
  return {reinterpret_cast<const char*>(text),
          static_cast<std::size_t>(::sqlite3_column_bytes(handle_.get(), column))};
}

SqliteTransaction::SqliteTransaction(SqliteDatabase& database, Kind kind) : database_(&database) {
  // A writer takes its lock at once: after reading first it could not wait for another writer.
  database.execute(kind == Kind::kWrite ? "BEGIN IMMEDIATE" : "BEGIN");
}

SqliteTransaction::~SqliteTransaction() {
  if (database_ == nullptr) return;
  ::sqlite3_exec(database_->get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void SqliteTransaction::commit() {
  database_->execute("COMMIT");
  database_ = nullptr;
}

}  // namespace kernelbatch::history
