// Conversion between record members and table cells, so that each column is described in one row.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/value.hpp"
#include "core/result/record.hpp"
#include "core/result/schema.hpp"

namespace kernelbatch::schema {

Value to_cell(std::int64_t value);
Value to_cell(double value);
Value to_cell(bool value);
Value to_cell(std::optional<bool> value);  ///< "unknown", "no", "yes"
template <Choice E>
Value to_cell(E value) {
  return std::string(name_of(value));
}
Value to_cell(DType value);
Value to_cell(const std::string& value);
Value to_cell(const std::vector<std::int64_t>& value);  ///< "2,3"
Value to_cell(const std::vector<std::string>& value);   ///< "row,column"
Value to_cell(std::optional<VariantKind> value);        ///< empty if unknown
Value to_cell(const std::vector<Note>& value);          ///< to_text()

/// The inverse. Throws StoreError for a cell that `to_cell` cannot produce.
void from_cell(const Value& cell, std::int64_t& value);
void from_cell(const Value& cell, double& value);
void from_cell(const Value& cell, bool& value);
void from_cell(const Value& cell, std::optional<bool>& value);
void from_cell(const Value& cell, Status& value);
void from_cell(const Value& cell, SampleKind& value);
void from_cell(const Value& cell, EvidenceSource& value);
/// Phase::kUnknown for a text unknown to this version.
void from_cell(const Value& cell, Phase& value);
void from_cell(const Value& cell, DType& value);
void from_cell(const Value& cell, std::string& value);
void from_cell(const Value& cell, std::vector<std::int64_t>& value);
void from_cell(const Value& cell, std::vector<std::string>& value);
/// Empty for a text unknown to this version.
void from_cell(const Value& cell, std::optional<VariantKind>& value);
void from_cell(const Value& cell, std::vector<Note>& value);

/// `object.*a.*b[2]` for the steps a, b, 2: members by pointer, elements by index.
template <auto Step, auto... Rest>
constexpr auto& follow(auto& object) {
  auto& next = [&]() -> auto& {
    if constexpr (std::is_member_object_pointer_v<decltype(Step)>)
      return object.*Step;
    else
      return object[Step];
  }
  ();
  if constexpr (sizeof...(Rest) == 0)
    return next;
  else
    return follow<Rest...>(next);
}

template <class Owner>
struct OwnedBy {
  using Record = Owner;
};
template <class Owner, class Member>
OwnedBy<Owner> owner(Member Owner::*);

template <class T>
constexpr ColumnType column_type() {
  if constexpr (std::is_same_v<T, std::int64_t>) return ColumnType::kInteger;
  if constexpr (std::is_same_v<T, double>) return ColumnType::kReal;
  if constexpr (std::is_same_v<T, bool>) return ColumnType::kFlag;
  if constexpr (std::is_same_v<T, std::optional<bool>>) return ColumnType::kCode;
  return ColumnType::kText;
}

/// The column of the member that the steps lead to.
template <auto First, auto... Rest>
constexpr auto column(std::string_view name, std::string_view units, std::string_view long_name) {
  using Record = typename decltype(owner(First))::Record;
  using Member = std::remove_cvref_t<decltype(follow<First, Rest...>(std::declval<Record&>()))>;
  ColumnInfo info{name, column_type<Member>(), units, long_name, "", 0};
  if (info.type == ColumnType::kCode) {
    info.meanings = "unknown no yes";
    info.first_code = -1;
  }
  return Column<Record>{
      info, [](const Record& record) -> Value { return to_cell(follow<First, Rest...>(record)); },
      [](Record& record, const Value& cell) { from_cell(cell, follow<First, Rest...>(record)); }};
}

/// A choice that is stored as a code.
template <auto First, auto... Rest>
constexpr auto coded(std::string_view name, std::string_view meanings, std::string_view long_name) {
  auto result = column<First, Rest...>(name, "", long_name);
  result.info.type = ColumnType::kCode;
  result.info.meanings = meanings;
  return result;
}

/// A column derived from others: a real number or a flag.
template <auto Rate>
constexpr Column<ResultRecord> derived(std::string_view name, std::string_view units,
                                       std::string_view long_name) {
  using Type = decltype((std::declval<const ResultRecord&>().*Rate)());
  constexpr ColumnType kType = std::is_same_v<Type, bool> ? ColumnType::kFlag : ColumnType::kReal;
  return {{name, kType, units, long_name, "", 0},
          [](const ResultRecord& record) -> Value { return (record.*Rate)(); },
          nullptr};
}

}  // namespace kernelbatch::schema
