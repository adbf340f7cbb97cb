// YAML text as a plain tree with places: the only door to yaml-cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/job/spec.hpp"

namespace kernelbatch {

struct YamlKey {
  std::string text;
  SourcePlace place;
};

/// One node of a YAML document. Anchors and aliases are resolved: an alias is a copy of its anchor.
struct YamlNode {
  enum class Kind { kNull, kScalar, kList, kMapping };

  Kind kind = Kind::kNull;
  std::string text{};                ///< of a scalar
  bool quoted = false;               ///< of a scalar: '1', "1", or a block of text
  std::vector<YamlNode> children{};  ///< items of a list, values of a mapping
  std::vector<YamlKey> keys{};       ///< of a mapping, one for each child
  SourcePlace place{};

  bool is_null() const noexcept { return kind == Kind::kNull; }
  bool is_scalar() const noexcept { return kind == Kind::kScalar; }
  bool is_list() const noexcept { return kind == Kind::kList; }
  bool is_mapping() const noexcept { return kind == Kind::kMapping; }

  /// The value of a key of a mapping; null where there is none (or this is no mapping).
  const YamlNode* find(std::string_view key) const noexcept;
  YamlNode* find(std::string_view key) noexcept;
};

/// Parses one document (JSON is YAML). Throws SpecError "<file>:<line>:<column>: …" for syntax
/// errors, duplicate keys, keys that are not plain text, merge keys (`<<`), a second document, and
/// for documents too large or too deep, aliases counted as often as they are used. `file` is used
/// in places only. An empty document is a null node.
YamlNode parse_yaml(std::string_view text, const std::string& file);

/// A document from the command line: every place in it is just `origin`, without lines.
YamlNode parse_yaml_argument(std::string_view text, const std::string& origin);

/// A node in words, for messages: "nothing", "'text'", "a list", "a mapping".
std::string describe(const YamlNode& node);

}  // namespace kernelbatch
