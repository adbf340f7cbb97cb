// A YAML document as a plain tree that knows where each piece stands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kernelbatch {

/// A place in a job file (lines and columns from 1) or on the command line (line 0).
struct SourcePlace {
  std::string file;
  int line = 0;
  int column = 0;

  bool operator==(const SourcePlace&) const = default;
};

/// "jobs/mse.yaml:7:3"; just the file's name where there is no line.
std::string to_text(const SourcePlace& place);

/// Throws SpecError "<place>: <message>"; the bare message where the place is empty.
[[noreturn]] void fail_at(const SourcePlace& place, std::string_view message);

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

  bool operator==(const YamlNode&) const = default;
};

}  // namespace kernelbatch
