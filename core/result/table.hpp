// Tables in a file: a group per table, a dataset per column; rows are written and read in windows,
// so that memory does not grow with the file.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/result/h5/h5.hpp"
#include "core/result/schema.hpp"

namespace kernelbatch {

/// Rows in memory at once, and rows per chunk in the file.
inline constexpr std::int64_t kWindowRows = std::int64_t{1} << 16;

/// Writes a column. Rows go to the file when a window is full; a column that never fills one is
/// stored in one piece.
class ColumnWriter {
 public:
  /// Throws StoreError for a code without meanings. `group` must outlive the writer.
  ColumnWriter(h5::Group& group, const schema::ColumnInfo& info);

  /// Throws StoreError for a cell of another type, naming the column.
  void add(const Value& cell);
  /// Writes the remaining rows.
  void finish();
  /// Writes the attributes that describe the column to other programs. Valid after finish().
  void describe();
  const std::string& name() const noexcept { return name_; }
  schema::ColumnType type() const noexcept { return type_; }
  /// Valid after finish().
  h5::Dataset& dataset() { return *dataset_; }

 private:
  using Rows = std::variant<std::vector<std::int8_t>, std::vector<std::int64_t>,
                            std::vector<double>, std::vector<std::string>>;

  void create(bool growable);
  void write_window();

  h5::Group* group_;
  std::string name_, units_, long_name_;
  schema::ColumnType type_;
  std::vector<std::string> meanings_;
  std::int8_t first_code_;
  Rows rows_;
  std::optional<h5::Dataset> dataset_;
};

/// A complete table is for other programs, with index column, scales and attributes; a lean one is
/// only for a merge.
enum class TableStyle : bool { kLean, kComplete };

class TableWriter {
 public:
  TableWriter(h5::Group parent, const schema::Table& table,
              std::span<const schema::ColumnInfo> columns,
              TableStyle style = TableStyle::kComplete);
  TableWriter(const TableWriter&) = delete;
  TableWriter& operator=(const TableWriter&) = delete;

  /// One cell per column.
  void append(std::span<const Value> row);
  std::int64_t rows() const noexcept { return rows_; }
  /// Adds a column with all rows at once, without units; call it after the last append. A name that
  /// is taken or cannot be a link gets underscores, since a merge must not fail.
  void add_column(const std::string& name, schema::ColumnType type, const std::string& long_name,
                  const std::function<Value(std::int64_t row)>& cell);
  void finish();

 private:
  std::string free_name(std::string name) const;

  h5::Group group_;
  std::string dimension_;
  TableStyle style_;
  std::vector<ColumnWriter> columns_;
  std::int64_t rows_ = 0;
};

/// Reads a column, one window at a time: fast for rows in ascending order.
class ColumnReader {
 public:
  explicit ColumnReader(h5::Dataset dataset);

  std::int64_t rows() const noexcept { return rows_; }
  /// Valid until the next call. Throws StoreError for a missing row.
  const Value& value(std::int64_t row);

 private:
  void load(std::int64_t row);

  h5::Dataset dataset_;
  h5::Type type_;
  std::vector<std::string> meanings_;
  std::int64_t first_code_ = 0;
  std::int64_t rows_ = 0, window_start_ = 0, window_rows_ = 0;
  std::vector<std::byte> bytes_;
  std::vector<Value> texts_;
  Value number_;
};

/// Reads rows of a table as records. A column missing in the file leaves its member unchanged.
template <class Record>
class RecordReader {
 public:
  RecordReader(const h5::Group& group, schema::Columns<Record> columns) {
    for (const schema::Column<Record>& column : columns)
      if (column.set != nullptr && group.has(column.info.name))
        columns_.push_back({&column, ColumnReader(group.dataset(column.info.name))});
  }

  std::int64_t rows() const { return columns_.empty() ? 0 : columns_.front().reader.rows(); }
  bool has_columns() const noexcept { return !columns_.empty(); }
  /// Restricts reading to columns for which `is_wanted(name)` holds.
  template <class Predicate>
  void keep(Predicate is_wanted) {
    std::erase_if(columns_,
                  [&](const Entry& entry) { return !is_wanted(entry.column->info.name); });
  }
  void read(std::int64_t row, Record& record) {
    for (auto& [column, reader] : columns_) column->set(record, reader.value(row));
  }
  Record read(std::int64_t row) {
    Record record;
    read(row, record);
    return record;
  }

 private:
  struct Entry {
    const schema::Column<Record>* column;
    ColumnReader reader;
  };
  std::vector<Entry> columns_;
};

}  // namespace kernelbatch
