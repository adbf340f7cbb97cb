#include "core/result/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <numeric>
#include <type_traits>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

using schema::ColumnInfo;
using schema::ColumnType;

/// For smaller tables, chunks and filters cost more than they save.
constexpr std::size_t kSmallTable = 4096;
constexpr int kColumnDeflate = 1;

h5::Type stored_type(ColumnType type) {
  switch (type) {
    case ColumnType::kInteger:
      return h5::Type::kInt64;
    case ColumnType::kReal:
      return h5::Type::kFloat64;
    case ColumnType::kText:
      return h5::Type::kText;
    default:
      return h5::Type::kInt8;
  }
}

std::int8_t code_of(const std::string& text, const std::vector<std::string>& meanings,
                    std::int8_t first) {
  const auto found = std::ranges::find(meanings, text);
  if (found == meanings.end())
    throw StoreError(fmt::format("'{}' is not one of {}", text, join(meanings)));
  return static_cast<std::int8_t>(first + (found - meanings.begin()));
}

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& rows) {
  return std::as_bytes(std::span(rows));
}

template <class T>
T element(const std::vector<std::byte>& bytes, std::int64_t index) {
  T value;
  std::memcpy(&value, bytes.data() + static_cast<std::size_t>(index) * sizeof(T), sizeof(T));
  return value;
}

}  // namespace

ColumnWriter::ColumnWriter(h5::Group& group, const ColumnInfo& info)
    : group_(&group),
      name_(info.name),
      units_(info.units),
      long_name_(info.long_name),
      type_(info.type),
      first_code_(info.first_code) {
  if (!info.meanings.empty()) meanings_ = split(info.meanings, ' ');
  switch (stored_type(type_)) {
    case h5::Type::kInt8:
      rows_ = std::vector<std::int8_t>{};
      break;
    case h5::Type::kInt64:
      rows_ = std::vector<std::int64_t>{};
      break;
    case h5::Type::kFloat64:
      rows_ = std::vector<double>{};
      break;
    default:
      rows_ = std::vector<std::string>{};
      break;
  }
}

void ColumnWriter::add(const Value& cell) {
  try {
    switch (type_) {
      case ColumnType::kFlag:
        std::get<std::vector<std::int8_t>>(rows_).push_back(std::get<bool>(cell) ? 1 : 0);
        break;
      case ColumnType::kCode:
        std::get<std::vector<std::int8_t>>(rows_).push_back(
            code_of(std::get<std::string>(cell), meanings_, first_code_));
        break;
      case ColumnType::kInteger:
        std::get<std::vector<std::int64_t>>(rows_).push_back(std::get<std::int64_t>(cell));
        break;
      case ColumnType::kReal:
        std::get<std::vector<double>>(rows_).push_back(std::get<double>(cell));
        break;
      case ColumnType::kText:
        std::get<std::vector<std::string>>(rows_).push_back(std::get<std::string>(cell));
        break;
    }
  } catch (const std::bad_variant_access&) {
    throw StoreError(
        fmt::format("column '{}' cannot hold '{}': it is of another type", name_, to_text(cell)));
  }
  const auto count = std::visit([](const auto& rows) { return rows.size(); }, rows_);
  if (count == static_cast<std::size_t>(kWindowRows)) write_window();
}

void ColumnWriter::create(bool growable) {
  const auto count = std::visit([](const auto& rows) { return rows.size(); }, rows_);
  h5::Layout layout{.type = stored_type(type_), .shape = {static_cast<std::int64_t>(count)}};
  if (growable) {
    layout.shape = {0};
    layout.chunk = {kWindowRows};
    layout.growable = true;
  } else if (count * h5::size_of(layout.type) > kSmallTable && layout.type != h5::Type::kText) {
    layout.chunk = layout.shape;
  }
  if (!layout.chunk.empty()) layout.deflate = kColumnDeflate;
  dataset_ = group_->create_dataset(name_, layout);
}

void ColumnWriter::write_window() {
  if (!dataset_) create(true);
  std::visit(
      [&](auto& rows) {
        if constexpr (std::is_same_v<decltype(rows), std::vector<std::string>&>)
          dataset_->append(std::span<const std::string>(rows));
        else
          dataset_->append(bytes_of(rows));
        rows.clear();
      },
      rows_);
}

void ColumnWriter::finish() {
  if (dataset_) {
    write_window();
    return;
  }
  create(false);
  std::visit(
      [&](auto& rows) {
        if constexpr (std::is_same_v<decltype(rows), std::vector<std::string>&>)
          dataset_->write(std::span<const std::string>(rows));
        else
          dataset_->write(bytes_of(rows));
      },
      rows_);
}

void ColumnWriter::describe() {
  h5::Dataset& column = *dataset_;
  if (!units_.empty()) column.set("units", units_);
  if (!long_name_.empty()) column.set("long_name", long_name_);
  if (type_ == ColumnType::kReal) column.set("_FillValue", kMissing);
  if (type_ == ColumnType::kFlag) column.set("dtype", "bool");
  if (type_ == ColumnType::kCode) {
    std::vector<std::int8_t> values(meanings_.size());
    std::iota(values.begin(), values.end(), first_code_);
    column.set("flag_values", values);
    column.set("flag_meanings", join(meanings_, " "));
  }
}

TableWriter::TableWriter(h5::Group parent, const schema::Table& table,
                         std::span<const ColumnInfo> columns, TableStyle style)
    : group_(parent.create_group(table.group)), dimension_(table.dimension), style_(style) {
  for (const ColumnInfo& column : columns) columns_.emplace_back(group_, column);
}

void TableWriter::append(std::span<const Value> row) {
  for (std::size_t k = 0; k < columns_.size(); ++k) columns_[k].add(row[k]);
  ++rows_;
}

void TableWriter::add_column(const std::string& name, ColumnType type, const std::string& long_name,
                             const std::function<Value(std::int64_t row)>& cell) {
  const std::string link = free_name(name);
  ColumnWriter& column =
      columns_.emplace_back(group_, ColumnInfo{link, type, "", long_name, "", 0});
  for (std::int64_t row = 0; row < rows_; ++row) column.add(cell(row));
}

std::string TableWriter::free_name(std::string name) const {
  std::ranges::replace(name, '/', '_');
  const auto is_taken = [&] {
    return name.empty() || name == "." || name == dimension_ ||
           std::ranges::find(columns_, name, &ColumnWriter::name) != columns_.end();
  };
  while (is_taken()) name += '_';
  return name;
}

void TableWriter::finish() {
  for (ColumnWriter& column : columns_) {
    column.finish();
    // Readers need the meanings of codes.
    if (style_ == TableStyle::kComplete || column.type() == ColumnType::kCode) column.describe();
  }
  if (style_ == TableStyle::kLean) return;
  ColumnWriter index(group_,
                     ColumnInfo{dimension_, ColumnType::kInteger, "1", "row number", "", 0});
  for (std::int64_t row = 0; row < rows_; ++row) index.add(row);
  index.finish();
  index.dataset().make_scale(dimension_);
  index.describe();
  for (ColumnWriter& column : columns_) column.dataset().attach_scale(index.dataset(), 0);
}

ColumnReader::ColumnReader(h5::Dataset dataset)
    : dataset_(std::move(dataset)), type_(dataset_.layout().type) {
  rows_ = dataset_.rows();
  if (const auto meanings = dataset_.text("flag_meanings")) {
    meanings_ = split(*meanings, ' ');
    first_code_ = meanings_.front() == "unknown" ? -1 : 0;
  }
}

void ColumnReader::load(std::int64_t row) {
  window_start_ = row - row % kWindowRows;
  window_rows_ = std::min(kWindowRows, rows_ - window_start_);
  if (type_ == h5::Type::kText) {
    std::vector<std::string> texts = dataset_.read_text_rows(window_start_, window_rows_);
    texts_.assign(std::make_move_iterator(texts.begin()), std::make_move_iterator(texts.end()));
  } else {
    bytes_.resize(static_cast<std::size_t>(window_rows_) * h5::size_of(type_));
    dataset_.read_rows(window_start_, window_rows_, bytes_);
  }
}

const Value& ColumnReader::value(std::int64_t row) {
  if (row < 0 || row >= rows_)
    throw StoreError(fmt::format("row {} is not in a column of {} rows", row, rows_));
  if (row < window_start_ || row >= window_start_ + window_rows_) load(row);
  const std::int64_t index = row - window_start_;
  switch (type_) {
    case h5::Type::kText:
      return texts_[static_cast<std::size_t>(index)];
    case h5::Type::kFloat64:
      return number_ = element<double>(bytes_, index);
    case h5::Type::kInt64:
      return number_ = element<std::int64_t>(bytes_, index);
    case h5::Type::kInt8:
      break;
    default:
      throw StoreError("HDF5 holds a column of a type that kernelbatch never writes");
  }
  const auto code = element<std::int8_t>(bytes_, index);
  if (meanings_.empty()) return number_ = code != 0;
  const auto position = static_cast<std::size_t>(code - first_code_);
  if (position >= meanings_.size()) throw StoreError(fmt::format("{} is not a known code", code));
  return number_ = meanings_[position];
}

}  // namespace kernelbatch
