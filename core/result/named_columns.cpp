#include "core/result/named_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace kernelbatch {

using schema::ColumnType;

void NamedColumns::Column::add(std::size_t row, const Value& value) {
  kinds.resize(row, Kind::kNone);
  bits.resize(row, 0);
  kinds.push_back(static_cast<Kind>(value.index() + 1));
  if (const auto* flag = std::get_if<bool>(&value)) {
    bits.push_back(*flag ? 1 : 0);
  } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    bits.push_back(*integer);
  } else if (const auto* real = std::get_if<double>(&value)) {
    bits.push_back(std::bit_cast<std::int64_t>(*real));
  } else {
    const auto& text = std::get<std::string>(value);
    const auto [place, is_new] = places.try_emplace(text, static_cast<std::int64_t>(texts.size()));
    if (is_new) texts.push_back(text);
    bits.push_back(place->second);
  }
}

bool NamedColumns::Column::has(Kind kind, std::size_t rows) const {
  if (kind == Kind::kNone && kinds.size() < rows) return true;
  return std::ranges::find(kinds, kind) != kinds.end();
}

Value NamedColumns::Column::cell(std::size_t row, ColumnType type) const {
  const Kind kind = row < kinds.size() ? kinds[row] : Kind::kNone;
  if (kind == Kind::kNone) {
    if (type == ColumnType::kText) return std::string();
    return type == ColumnType::kInteger ? Value(std::int64_t{-1}) : Value(kMissing);
  }
  Value value = kind == Kind::kFlag      ? Value(bits[row] != 0)
                : kind == Kind::kInteger ? Value(bits[row])
                : kind == Kind::kReal    ? Value(std::bit_cast<double>(bits[row]))
                                         : Value(texts[static_cast<std::size_t>(bits[row])]);
  if (type == ColumnType::kText) return to_text(value);
  if (type == ColumnType::kReal && kind == Kind::kInteger) return static_cast<double>(bits[row]);
  return value;
}

void NamedColumns::add_row(const NamedValues& values) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::string& name = values[k].first;
    // Rows of one workload have the same names in the same order.
    auto column = k < columns_.size() && columns_[k].name == name
                      ? columns_.begin() + static_cast<std::ptrdiff_t>(k)
                      : std::ranges::find(columns_, name, &Column::name);
    if (column == columns_.end()) column = columns_.insert(column, Column{name, {}, {}, {}, {}});
    column->add(rows_, values[k].second);
  }
  ++rows_;
}

void NamedColumns::write(TableWriter& table, std::string_view prefix,
                         std::string_view long_name) const {
  for (const Column& column : columns_) {
    const bool is_complete = !column.has(Kind::kNone, rows_);
    const bool has_flag = column.has(Kind::kFlag, rows_), has_text = column.has(Kind::kText, rows_),
               has_integer = column.has(Kind::kInteger, rows_),
               has_real = column.has(Kind::kReal, rows_);
    ColumnType type = ColumnType::kText;
    if (is_complete && !has_text && !has_integer && !has_real)
      type = ColumnType::kFlag;
    else if (!has_text && !has_flag)
      type = has_real ? ColumnType::kReal : ColumnType::kInteger;
    table.add_column(
        std::string(prefix) + column.name, type, fmt::format("{} {}", long_name, column.name),
        [&](std::int64_t row) { return column.cell(static_cast<std::size_t>(row), type); });
  }
}

}  // namespace kernelbatch
