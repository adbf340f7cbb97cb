// Values by name as columns of a table.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/value.hpp"
#include "core/result/table.hpp"

namespace kernelbatch {

/// Names and types are known only after the last row, so values are kept here in nine bytes each,
/// and each text once.
class NamedColumns {
 public:
  void add_row(const NamedValues& values);

  /// Writes one column per name, in order of first appearance, after the table's own. Missing cells
  /// are empty. A column of several types is real if all are numbers, else text. Call it after the
  /// table's last append.
  void write(TableWriter& table, std::string_view prefix, std::string_view long_name) const;

 private:
  enum class Kind : std::uint8_t { kNone, kFlag, kInteger, kReal, kText };
  struct Column {
    std::string name;
    std::deque<Kind> kinds;         ///< of the rows so far; later rows lack it
    std::deque<std::int64_t> bits;  ///< the value, or the position of a text
    std::vector<std::string> texts;
    std::unordered_map<std::string, std::int64_t> places;

    void add(std::size_t row, const Value& value);
    bool has(Kind kind, std::size_t rows) const;
    Value cell(std::size_t row, schema::ColumnType type) const;
  };

  std::vector<Column> columns_;
  std::size_t rows_ = 0;
};

}  // namespace kernelbatch
