// A YAML document as a plain tree with the place of each node.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/source_place.hpp"

namespace kernelbatch {

struct YamlKey {
  std::string text;
  SourcePlace place;

  bool operator==(const YamlKey&) const = default;
};

/// One node of a YAML document. Anchors and aliases are resolved: an alias is a copy of its anchor.
struct YamlNode {
  enum class Kind { kNull, kScalar, kList, kMapping };

  Kind kind = Kind::kNull;
  std::string text{};                ///< of a scalar
  bool quoted = false;               ///< for a scalar: '1', "1", or a block of text
  std::vector<YamlNode> children{};  ///< items of a list, values of a mapping
  std::vector<YamlKey> keys{};       ///< of a mapping, one for each child
  SourcePlace place{};

  bool is_null() const noexcept { return kind == Kind::kNull; }
  bool is_scalar() const noexcept { return kind == Kind::kScalar; }
  bool is_list() const noexcept { return kind == Kind::kList; }
  bool is_mapping() const noexcept { return kind == Kind::kMapping; }

  /// The value of a key of a mapping; null if there is none (or this is not a mapping).
  const YamlNode* find(std::string_view key) const noexcept;
  YamlNode* find(std::string_view key) noexcept;

  bool operator==(const YamlNode&) const = default;
};

}  // namespace kernelbatch
