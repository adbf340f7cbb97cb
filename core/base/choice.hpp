// Choices: enumerations whose values have names in jobs, results and on the command line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernelbatch {

/// A row of a table of names.
template <class E>
struct Named {
  E value;
  std::string_view name;
};

/// The names of an enumeration's values. A specialization has `static constexpr Named<E> rows[]`,
/// one row for each value. Rows may have further members.
template <class E>
struct Names;

template <class E>
concept Choice = requires {
  Names<E>::rows;
};

template <Choice E>
constexpr std::string_view name_of(E value) noexcept {
  for (const auto& row : Names<E>::rows)
    if (row.value == value) return row.name;
  return {};
}

/// The value of that name; empty if there is none.
template <Choice E>
constexpr std::optional<E> parse_choice(std::string_view name) noexcept {
  for (const auto& row : Names<E>::rows)
    if (row.name == name) return row.value;
  return std::nullopt;
}

/// All names, in the order of the table.
template <Choice E>
std::vector<std::string> names_of() {
  std::vector<std::string> names;
  for (const auto& row : Names<E>::rows) names.emplace_back(row.name);
  return names;
}

}  // namespace kernelbatch
