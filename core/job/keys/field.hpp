// Tables of fields: each row joins a key with the struct member that holds its value.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/error_list.hpp"
#include "core/job/keys/key.hpp"
#include "core/job/keys/value.hpp"
#include "core/job/reader.hpp"

namespace kernelbatch {

/// A row. Rows of a nested mapping (`stop`, `cold`) fill members of the same struct.
template <class Spec>
struct Field : Key {
  void (*read)(Spec& spec, const YamlNode& node, const Key& key) = nullptr;
  /// A null node is omitted from the resolved job.
  YamlNode (*write)(const Spec& spec, const Key& key) = nullptr;
  /// Called after the value is read; throws SpecError.
  void (*check)(const Spec& spec, const YamlNode& node) = nullptr;
  const Field* first = nullptr;  ///< rows of a nested mapping
  std::size_t count = 0;

  constexpr std::span<const Field> nested() const { return {first, count}; }
  constexpr Field checked(void (*body)(const Spec&, const YamlNode&)) const {
    Field copy = *this;
    copy.check = body;
    return copy;
  }
  constexpr Field written(YamlNode (*body)(const Spec&, const Key&)) const {
    Field copy = *this;
    copy.write = body;
    return copy;
  }
  constexpr Field required() const {
    Field copy = *this;
    copy.is_required = true;
    return copy;
  }
};

/// The table of a struct.
template <class Spec>
std::span<const Field<Spec>> fields();

/// Reads the mapping's keys into `spec` and leaves other members unchanged. Strict: unknown keys,
/// missing required ones and invalid values throw SpecError with their places, all at once.
template <class Spec>
void read_fields(Spec& spec, const YamlNode& node, std::string_view what,
                 std::span<const Field<Spec>> table) {
  ErrorList errors;
  // A misspelt key is not also reported as missing.
  const bool knows_all = errors.attempt([&] { expect_mapping(node, what, key_names(table)); });
  if (!node.is_mapping()) errors.raise();
  for (const Field<Spec>& field : table)
    errors.attempt([&] {
      const YamlNode* found = node.find(field.name);
      if (found == nullptr) {
        if (field.is_required && knows_all)
          fail_at(node.place, fmt::format("'{}' has no '{}'", what, field.name));
        return;
      }
      if (field.count > 0)
        read_fields(spec, *found, field.name, field.nested());
      else
        field.read(spec, *found, field);
      if (field.check != nullptr) field.check(spec, *found);
    });
  errors.raise();
}

/// A mapping of every value, defaults included.
template <class Spec>
YamlNode write_fields(const Spec& spec, std::span<const Field<Spec>> table) {
  YamlNode node{.kind = YamlNode::Kind::kMapping};
  for (const Field<Spec>& field : table) {
    YamlNode value =
        field.count > 0 ? write_fields(spec, field.nested()) : field.write(spec, field);
    if (value.is_null()) continue;
    node.keys.push_back({std::string(field.name), {}});
    node.children.push_back(std::move(value));
  }
  return node;
}

/// The rows for generating descriptions. Defaults are those of a new `Spec`.
template <class Spec>
std::vector<KeyInfo> infos(std::span<const Field<Spec>> table) {
  std::vector<KeyInfo> result;
  for (const Field<Spec>& field : table) {
    KeyInfo info{field, std::string(field.otherwise), {}};
    if (field.count > 0)
      info.nested = infos(field.nested());
    else if (info.otherwise.empty())
      info.otherwise = field.write(Spec{}, field).text;
    result.push_back(std::move(info));
  }
  return result;
}

namespace detail {

template <class T>
struct MemberOf;
template <class S, class T>
struct MemberOf<T S::*> {
  using Spec = S;
  using Type = T;
};

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <class T>
T read_as(const YamlNode& node, const Key& key) {
  if constexpr (IsOptional<T>::value)
    return read_as<typename T::value_type>(node, key);
  else if constexpr (Choice<T>)
    return read_choice<T>(node, key.name);
  else
    return ValueOf<T>::read(node, key);
}

template <class T>
YamlNode write_as(const T& value, const Key& key) {
  if constexpr (IsOptional<T>::value)
    return value ? write_as(*value, key) : YamlNode{};
  else if constexpr (Choice<T>)
    return scalar_node(name_of(value));
  else
    return ValueOf<T>::write(value, key);
}

}  // namespace detail

/// A row with an explicit rule.
template <auto Member>
constexpr auto field(std::string_view name, Rule rule, std::string_view help,
                     std::string_view otherwise = {}) {
  using Of = detail::MemberOf<decltype(Member)>;
  using Spec = typename Of::Spec;
  using T = typename Of::Type;
  Field<Spec> row{{name, rule, help, otherwise}};
  row.read = [](Spec& spec, const YamlNode& node, const Key& key) {
    spec.*Member = detail::read_as<T>(node, key);
  };
  row.write = [](const Spec& spec, const Key& key) {
    return detail::write_as<T>(spec.*Member, key);
  };
  return row;
}

/// A boolean or a choice.
template <auto Member>
constexpr auto field(std::string_view name, std::string_view help) {
  using T = typename detail::MemberOf<decltype(Member)>::Type;
  if constexpr (detail::IsOptional<T>::value)
    return field<Member>(name, Rule::choice<typename T::value_type>(), help);
  else if constexpr (Choice<T>)
    return field<Member>(name, Rule::choice<T>(), help);
  else
    return field<Member>(name, Rule::of(Rule::Kind::kBoolean), help);
}

/// A nested mapping.
template <class Spec, std::size_t N>
constexpr Field<Spec> group(std::string_view name, const Field<Spec> (&rows)[N],
                            std::string_view help) {
  Field<Spec> row{{name, Rule::mapping(name), help}};
  row.first = rows;
  row.count = N;
  return row;
}

}  // namespace kernelbatch
