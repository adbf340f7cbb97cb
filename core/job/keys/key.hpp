// A key of a job: its name, permitted values, and meaning. Readers, the resolved job, the JSON
// Schema and the tables of jobs/README.md are generated from these rows.
#pragma once

#include <cstdint>
#include <limits>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/choice.hpp"
#include "core/job/yaml_node.hpp"

namespace kernelbatch {

/// Permitted values of a key.
struct Rule {
  enum class Kind : std::uint8_t {
    kScalar,        ///< any scalar
    kText,          ///< a scalar that is not empty
    kScalars,       ///< a scalar or a list of scalars
    kOptionTexts,   ///< the same, with `{name}` for a parameter's value
    kScalarOrList,  ///< a scalar or a list of anything
    kBoolean,
    kBooleanOrText,
    kCount,       ///< an integer from `low` to `high`
    kMagnitude,   ///< a finite real that is not negative
    kFraction,    ///< a share from 0 to 1
    kSeconds,     ///< a time
    kExpression,  ///< a number or an expression of parameters; from `low` to `high` if they differ
    kExtents,     ///< one to three numbers or expressions
    kChoice,      ///< one of `choices()`
    kMapping,     ///< a mapping defined in the schema as `schema`, with its own help
    kSchema,      ///< described by `schema`, a JSON text
  };

  Kind kind = Kind::kScalar;
  int low = 0, high = 0;
  std::vector<std::string> (*choices)() = nullptr;
  std::string_view schema = {};

  static constexpr int kMany = std::numeric_limits<int>::max();
  static constexpr Rule of(Kind kind) { return {kind}; }
  static constexpr Rule count(int low, int high = kMany) { return {Kind::kCount, low, high}; }
  static constexpr Rule expression(int low, int high) { return {Kind::kExpression, low, high}; }
  static constexpr Rule mapping(std::string_view definition) {
    return {Kind::kMapping, 0, 0, nullptr, definition};
  }
  static constexpr Rule json(std::string_view schema) {
    return {Kind::kSchema, 0, 0, nullptr, schema};
  }
  template <Choice E>
  static constexpr Rule choice() {
    return {Kind::kChoice, 0, 0, &names_of<E>};
  }
};

/// A key as presented to users.
struct Key {
  std::string_view name;
  Rule rule;
  std::string_view help;            ///< Markdown, without the first capital and the full stop
  std::string_view otherwise = {};  ///< the default, as YAML; empty if there is none
  bool is_required = false;

  constexpr Key required() const {
    Key copy = *this;
    copy.is_required = true;
    return copy;
  }
};

/// A key with data from its table: the default as YAML text, and the keys of a nested mapping.
struct KeyInfo {
  Key key;
  std::string otherwise;
  std::vector<KeyInfo> nested;
};

template <std::ranges::range Keys>
std::vector<KeyInfo> infos(const Keys& keys) {
  std::vector<KeyInfo> result;
  for (const Key& key : keys) result.push_back({key, std::string(key.otherwise), {}});
  return result;
}

template <std::ranges::range Keys>
std::vector<std::string> key_names(const Keys& keys) {
  std::vector<std::string> names;
  for (const Key& key : keys) names.emplace_back(key.name);
  return names;
}

/// expect_mapping() for the keys' names; a missing required key is also an error.
void expect_keys(const YamlNode& node, std::string_view what, std::span<const Key> keys);

}  // namespace kernelbatch
